//! Fibonacci with chili: a fork for every addition.

use chili::Scope;

/// The n-th Fibonacci number.
pub(crate) fn fib(s: &mut Scope<'_>, n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = s.join(|s| fib(s, n - 1), |s| fib(s, n - 2));
    a + b
}
