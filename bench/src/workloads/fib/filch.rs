//! Fibonacci with filch: a fork for every addition.

/// The n-th Fibonacci number.
pub(crate) fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = filch::join(|| fib(n - 1), || fib(n - 2));
    a + b
}
