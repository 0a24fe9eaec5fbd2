//! Fibonacci with forte: a fork for every addition.

use forte::Worker;

/// The n-th Fibonacci number.
pub(crate) fn fib(w: &Worker, n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = w.join(|w| fib(w, n - 1), |w| fib(w, n - 2));
    a + b
}
