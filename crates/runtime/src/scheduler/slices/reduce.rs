//! Reductions whose result does not depend on the number of workers.

use crate::scheduler::api::{DETERMINISTIC_WIDTH, join};
use crate::scheduler::pool::global;
use crate::scheduler::worker::Worker;

/// Reduces a slice to one value: `map` of each item, combined in pairs by `combine`. `None` if the
/// slice is empty.
///
/// **The result is the same, bit for bit, on any number of workers and in every run**, even if
/// `combine` is not associative, as the addition of floating-point numbers is not. What is combined
/// with what depends on the number of items alone: a slice of n items is halved until the pieces
/// have at most n/w items (rounded up), where w is the [width](crate::PoolBuilder::deterministic) of
/// the pool, or else [`DETERMINISTIC_WIDTH`]. A piece is combined from left to right.
///
/// ```
/// let numbers: Vec<f64> = (1..=10_000).map(f64::from).collect();
/// let sum_of_inverses = || filch::map_reduce(&numbers, |n| 1.0 / n, |a, b| a + b);
///
/// let two = filch::Pool::new(2)?;
/// let eight = filch::Pool::new(8)?;
/// let (of_two, of_eight) = (two.install(sum_of_inverses), eight.install(sum_of_inverses));
/// assert_eq!(of_two.map(f64::to_bits), of_eight.map(f64::to_bits));
/// # Ok::<(), filch::BuildError>(())
/// ```
///
/// # Panics
///
/// With the payload of a closure that panics.
pub fn map_reduce<T, R, M, C>(items: &[T], map: M, combine: C) -> Option<R>
where
    T: Sync,
    R: Send,
    M: Fn(&T) -> R + Sync,
    C: Fn(R, R) -> R + Sync,
{
    let piece = items.len().div_ceil(width());
    tree(items, piece, &map, &combine)
}

/// [`map_reduce`] of the items themselves.
///
/// ```
/// let words = ["a", "fixed", "tree"].map(str::to_owned);
/// let joined = filch::reduce(&words, |one, other| one + " " + &other);
/// assert_eq!(joined.as_deref(), Some("a fixed tree"));
/// assert_eq!(filch::reduce(&[], |one: u8, _| one), None);
/// ```
///
/// # Panics
///
/// As [`map_reduce`].
pub fn reduce<T, C>(items: &[T], combine: C) -> Option<T>
where
    T: Clone + Send + Sync,
    C: Fn(T, T) -> T + Sync,
{
    map_reduce(items, T::clone, combine)
}

/// The width of the current pool.
fn width() -> usize {
    let fixed = match Worker::current() {
        Some(worker) => worker.shared().width,
        None => global().shared().width,
    };
    fixed.unwrap_or(DETERMINISTIC_WIDTH)
}

fn tree<T, R, M, C>(items: &[T], piece: usize, map: &M, combine: &C) -> Option<R>
where
    T: Sync,
    R: Send,
    M: Fn(&T) -> R + Sync,
    C: Fn(R, R) -> R + Sync,
{
    if items.len() <= piece {
        return items.iter().map(map).reduce(combine);
    }
    let (left, right) = items.split_at(items.len() / 2);
    let (left, right) = join(
        || tree(left, piece, map, combine),
        || tree(right, piece, map, combine),
    );
    // Neither half is empty: a piece has at least one item.
    left.zip(right).map(|(left, right)| combine(left, right))
}
