//! A sum in parallel: `join` runs two halves at once if another worker is free.
//!
//! ```sh
//! cargo run --release -p filch-examples --example sum
//! ```
//!
//! There is no cut-off to tune. A fork costs a few nanoseconds, so the recursion may go down to
//! single numbers; here it stops at slices that the compiler adds up with vector instructions.

/// The sum of all numbers, by halves.
fn sum(numbers: &[u64]) -> u64 {
    if numbers.len() <= 64 {
        return numbers.iter().sum();
    }
    let (left, right) = numbers.split_at(numbers.len() / 2);
    let (left, right) = filch::join(|| sum(left), || sum(right));
    left + right
}

fn main() {
    let numbers: Vec<u64> = (1..=10_000_000).collect();
    let total = sum(&numbers);
    assert_eq!(total, 10_000_000 * 10_000_001 / 2);
    println!("1 + 2 + … + 10000000 = {total}");
}
