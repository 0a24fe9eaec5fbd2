//! Many tasks that borrow from the caller: `scope` returns when all of them have ended.
//!
//! ```sh
//! cargo run --release -p filch-examples --example scope
//! ```
//!
//! The program counts primes. Each task gets a part of the sieve that no other task touches, so no
//! lock is needed, and the compiler checks that.

/// Marks the multiples of `primes` in the part of the sieve that begins with the number `first`.
fn strike(part: &mut [bool], first: usize, primes: &[usize]) {
    for &prime in primes {
        let start = (prime * prime).max(first.next_multiple_of(prime));
        for multiple in (start..first + part.len()).step_by(prime) {
            part[multiple - first] = true;
        }
    }
}

/// The primes below `end`, found without help.
fn small_primes(end: usize) -> Vec<usize> {
    let is_prime = |n: &usize| {
        (2..*n)
            .take_while(|d| d * d <= *n)
            .all(|d| !n.is_multiple_of(d))
    };
    (2..end).filter(is_prime).collect()
}

fn main() {
    const END: usize = 10_000_000;
    const PART: usize = 1 << 16;
    let primes = small_primes(END.isqrt() + 1);
    let mut composite = vec![false; END];
    filch::scope(|scope| {
        for (number, part) in composite.chunks_mut(PART).enumerate() {
            let primes = &primes;
            scope.spawn(move |_| strike(part, number * PART, primes));
        }
    });
    let count = composite[2..].iter().filter(|&&struck| !struck).count();
    assert_eq!(count, 664_579);
    println!("{count} primes below {END}");
}
