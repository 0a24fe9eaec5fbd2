//! Independent runs on all cores, on our own runtime.

use std::cell::Cell;
use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use filch::{BuildError, Pool, join};

/// What the program has chosen.
static CHOSEN: OnceLock<NonZero<usize>> = OnceLock::new();

thread_local! {
    /// What this thread has chosen for the experiments that it starts now.
    static HERE: Cell<Option<NonZero<usize>>> = const { Cell::new(None) };
}

/// Chooses how many threads the experiments of this process compute on. Only the first choice
/// counts, and the results are the same with any.
///
/// # Errors
///
/// If the system does not give as many threads now.
pub fn use_threads(threads: NonZero<usize>) -> Result<(), BuildError> {
    drop(Pool::new(threads.get())?);
    CHOSEN.get_or_init(|| threads);
    Ok(())
}

/// Calls `experiment`, which computes on this many threads whatever the process has
/// [chosen](use_threads). For a program that makes experiments of several callers.
pub fn with_threads<T>(threads: NonZero<usize>, experiment: impl FnOnce() -> T) -> T {
    /// Restores the choice, also if the experiment panics.
    struct Restore(Option<NonZero<usize>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            HERE.set(self.0);
        }
    }
    let _restore = Restore(HERE.replace(Some(threads)));
    experiment()
}

/// How many threads experiments compute on: as many as were chosen for [this
/// experiment](with_threads) or [this process](use_threads), or else one for each core.
pub fn threads() -> NonZero<usize> {
    let cores = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let chosen = HERE.get().or_else(|| CHOSEN.get().copied());
    chosen.unwrap_or_else(cores)
}

/// The values of `run(0)` … `run(count − 1)`, in this order, computed on `threads` threads.
///
/// The order in which the runs start depends on the machine. The values do not, if `run` takes its
/// random numbers from streams that its argument addresses. After a run has panicked, no other is
/// started, and this panics with the same payload.
pub fn map<T: Send>(
    count: usize,
    threads: NonZero<usize>,
    run: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut values: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let pool = Pool::new(threads.get()).expect("the system gives us threads");
    let ended = AtomicBool::new(false);
    let unless_ended = |index| {
        // Ordering: Relaxed, since the flag guards no other memory; a late look costs one run.
        if ended.load(Ordering::Relaxed) {
            return None;
        }
        let unwinds = EndsAll(&ended);
        let value = run(index);
        std::mem::forget(unwinds);
        Some(value)
    };
    pool.install(|| fill(&mut values, 0, &unless_ended));
    values
        .into_iter()
        .map(|value| value.expect("every run was made"))
        .collect()
}

/// Dropped only if a run unwinds.
struct EndsAll<'a>(&'a AtomicBool);

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        // Ordering: as where it is read.
        self.0.store(true, Ordering::Relaxed);
    }
}

fn fill<T: Send>(
    values: &mut [Option<T>],
    first: usize,
    run: &(impl Fn(usize) -> Option<T> + Sync),
) {
    match values {
        [] => {}
        [value] => *value = run(first),
        _ => {
            let half = values.len() / 2;
            let (left, right) = values.split_at_mut(half);
            join(|| fill(left, first, run), || fill(right, first + half, run));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn the_same_on_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let squares = map(100, NonZero::new(threads).unwrap(), |index| index * index);
            assert!(squares.into_iter().eq((0..100).map(|index| index * index)));
        }
    }

    /// A choice for one experiment holds for it alone, and for no other thread.
    #[test]
    fn threads_of_one_experiment() {
        let five = NonZero::new(5).unwrap();
        let before = threads();
        let (inside, elsewhere) = with_threads(five, || {
            let elsewhere = thread::spawn(threads).join().unwrap();
            (threads(), elsewhere)
        });
        assert_eq!((inside, elsewhere, threads()), (five, before, before));
        let panicked = std::panic::catch_unwind(|| with_threads(five, || panic!("on purpose")));
        assert!(panicked.is_err());
        assert_eq!(threads(), before);
    }

    /// Runs that have not begun when one panics are not made.
    #[test]
    fn a_panic_ends_the_rest() {
        let made = AtomicUsize::new(0);
        let failed = std::panic::catch_unwind(|| {
            map(1000, NonZero::<usize>::MIN, |index| {
                made.fetch_add(1, Ordering::Relaxed);
                if index == 3 {
                    std::panic::resume_unwind(Box::new(index));
                }
            })
        });
        assert_eq!(*failed.unwrap_err().downcast::<usize>().unwrap(), 3);
        assert_eq!(made.into_inner(), 4);
    }

    #[test]
    #[should_panic(expected = "run 3 failed")]
    fn a_panic_is_passed_on() {
        map(5, NonZero::new(2).unwrap(), |index| {
            assert!(index != 3, "run {index} failed");
        });
    }
}
