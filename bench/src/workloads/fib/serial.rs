//! Fibonacci, the plain program.

/// The n-th Fibonacci number.
pub(crate) fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    fib(n - 1) + fib(n - 2)
}
