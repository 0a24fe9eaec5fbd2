//! Independent runs on all cores.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many threads to use where the user has no say.
pub(crate) fn threads() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// The values of `run(0)` … `run(count − 1)`, in this order, computed on so many threads.
///
/// The order in which runs are started depends on the machine; what comes back does not, provided
/// that `run` draws its randomness from streams addressed by its argument.
pub(crate) fn map<T: Send>(
    count: usize,
    threads: NonZero<usize>,
    run: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            // Ordering: `next` only deals out numbers; the results travel through `join`.
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return done;
            }
            done.push((index, run(index)));
        }
    };
    let mut all: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.get()).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined
            .flat_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    all.sort_unstable_by_key(|&(index, _)| index);
    all.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_on_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let squares = map(100, NonZero::new(threads).unwrap(), |index| index * index);
            assert!(squares.into_iter().eq((0..100).map(|index| index * index)));
        }
    }

    #[test]
    #[should_panic(expected = "run 3 failed")]
    fn a_panic_is_passed_on() {
        map(5, NonZero::new(2).unwrap(), |index| {
            assert!(index != 3, "run {index} failed")
        });
    }
}
