//! Reductions are the same bits on any number of workers.
#![cfg(not(any(loom, shuttle)))]

mod common;

use common::{assert_success, finishes, in_child, role};
use filch::{DETERMINISTIC_WIDTH, Pool, map_reduce, reduce};

const RUNS: usize = 50;
const THREADS: [usize; 5] = [1, 2, 3, 8, 64];

/// Irrational numbers of both signs: nearly every order of additions has a sum of its own.
fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|n| (n as f64).sin() * 1e3).collect()
}

fn sum(numbers: &[f64]) -> Option<u64> {
    let sum = map_reduce(numbers, |n| n / 3.0, |a, b| a + b);
    sum.map(f64::to_bits)
}

/// The tree as the page of `map_reduce` describes it, written down by itself: a serial program over
/// indices.
fn by_the_page(numbers: &[f64], width: usize) -> Option<u64> {
    fn piece(numbers: &[f64], from: usize, to: usize, most: usize) -> f64 {
        let items = to - from;
        if items <= most {
            let mut sum = numbers[from] / 3.0;
            for number in &numbers[from + 1..to] {
                sum += number / 3.0;
            }
            return sum;
        }
        let middle = from + items / 2;
        piece(numbers, from, middle, most) + piece(numbers, middle, to, most)
    }
    let items = numbers.len();
    let most = items.div_ceil(width);
    (items > 0).then(|| piece(numbers, 0, items, most).to_bits())
}

#[test]
fn the_same_bits_on_any_number_of_workers() {
    finishes(|| {
        for threads in THREADS {
            let pool = common::pool(threads);
            for (items, runs) in [(0, 1), (1, 1), (64, 2), (65, 2), (10_007, RUNS)] {
                let numbers = numbers(items);
                let expected = by_the_page(&numbers, DETERMINISTIC_WIDTH);
                for run in 0..runs {
                    let sum = pool.install(|| sum(&numbers));
                    assert_eq!(sum, expected, "{items} items, {threads} workers, run {run}");
                }
            }
        }
    });
}

#[test]
fn the_width_decides() {
    finishes(|| {
        let numbers = numbers(10_007);
        let of_width = |threads, width| {
            let pool = Pool::builder().threads(threads).deterministic(width);
            pool.build().unwrap().install(|| sum(&numbers))
        };
        for width in [1, 16, 100, 1024, 20_000] {
            let expected = by_the_page(&numbers, width);
            assert_eq!(of_width(1, width), expected);
            assert_eq!(of_width(3, width), expected);
        }
        assert_eq!(of_width(2, 0), by_the_page(&numbers, DETERMINISTIC_WIDTH));
        assert_ne!(of_width(2, 16), of_width(2, 1024));
    });
}

#[test]
fn the_environment_sets_the_width() {
    let numbers = numbers(10_007);
    if let Some(role) = role() {
        // On the global pool, from outside.
        let width = role.parse().unwrap();
        return assert_eq!(sum(&numbers), by_the_page(&numbers, width));
    }
    for (variable, width) in [("16", "16"), ("on", "64"), ("off", "64"), ("1024", "1024")] {
        let variables = [("FILCH_DETERMINISTIC", variable)];
        let output = in_child("the_environment_sets_the_width", width, &variables);
        assert_success(variable, &output);
    }
}

#[test]
fn a_bad_width_is_refused() {
    if role().is_some() {
        let error = Pool::new(1).unwrap_err().to_string();
        return assert!(error.contains("FILCH_DETERMINISTIC is no width"), "{error}");
    }
    let output = in_child(
        "a_bad_width_is_refused",
        "bad",
        &[("FILCH_DETERMINISTIC", "x")],
    );
    assert_success("bad", &output);
}

/// What does not commute is combined from left to right.
#[test]
fn the_order_is_that_of_the_items() {
    let words: Vec<String> = (0..500).map(|n| n.to_string()).collect();
    let pool = common::pool(3);
    let joined = pool.install(|| reduce(&words, |a, b| a + "," + &b));
    assert_eq!(joined, Some(words.join(",")));
}
