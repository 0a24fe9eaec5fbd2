//! Independent runs on all cores, on our own runtime.

use std::num::NonZero;
use std::thread;

use filch::{Pool, join};

/// The number of threads to use by default: one for each core.
pub fn threads() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// The values of `run(0)` … `run(count − 1)`, in this order, computed on `threads` threads.
///
/// The order in which the runs start depends on the machine. The values do not, if `run` takes its
/// random numbers from streams that its argument addresses.
pub fn map<T: Send>(
    count: usize,
    threads: NonZero<usize>,
    run: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut values: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let pool = Pool::new(threads.get()).expect("the system gives us threads");
    pool.install(|| fill(&mut values, 0, &run));
    values
        .into_iter()
        .map(|value| value.expect("every run was made"))
        .collect()
}

fn fill<T: Send>(values: &mut [Option<T>], first: usize, run: &(impl Fn(usize) -> T + Sync)) {
    match values {
        [] => {}
        [value] => *value = Some(run(first)),
        _ => {
            let half = values.len() / 2;
            let (left, right) = values.split_at_mut(half);
            join(|| fill(left, first, run), || fill(right, first + half, run));
        }
    }
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
            assert!(index != 3, "run {index} failed");
        });
    }
}
