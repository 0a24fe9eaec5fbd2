//! With a fixed width, what rayon's iterators compute depends on their input alone.
#![allow(clippy::print_stdout, reason = "children tell the test by it")]

use std::process::Command;

use rayon::prelude::*;
use rayon_core::{ThreadPool, ThreadPoolBuilder, current_num_threads};

const WIDTH: usize = 64;
const THREADS: [usize; 5] = [1, 2, 3, 8, 64];
const RUNS: usize = 50;
const ITEMS: usize = 3_000;

fn pool(threads: usize, width: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.deterministic(width).build().unwrap()
}

/// Irrational numbers of both signs: nearly every order of additions has a sum of its own.
fn numbers() -> Vec<f64> {
    (0..ITEMS).map(|n| (n as f64).sin() * 1e3).collect()
}

type Program = fn(&[f64]) -> f64;

fn add(a: f64, b: f64) -> f64 {
    a + b
}

/// What a parallel program that adds may look like.
const PROGRAMS: [(&str, Program); 10] = [
    ("sum", |numbers| numbers.par_iter().sum()),
    ("map, reduce", |numbers| {
        numbers.par_iter().map(|n| n / 3.0).reduce(|| 0.0, add)
    }),
    ("fold, reduce", |numbers| {
        let sums = numbers.par_iter().fold(|| 0.0, |sum, n| sum + n);
        sums.reduce(|| 0.0, add)
    }),
    ("chunks", |numbers| {
        let sums = numbers.par_chunks(7).map(|chunk| chunk.iter().sum::<f64>());
        sums.sum()
    }),
    ("zip", |numbers| {
        let reversed = numbers.par_iter().rev();
        numbers.par_iter().zip(reversed).map(|(a, b)| a * b).sum()
    }),
    ("filter", |numbers| {
        numbers.par_iter().filter(|n| n.to_bits() % 3 > 0).sum()
    }),
    ("range", |numbers| {
        (0..numbers.len()).into_par_iter().map(|n| numbers[n]).sum()
    }),
    ("flat_map", |numbers| {
        let halves = |n: &f64| [n / 3.0, n / 7.0].into_par_iter();
        numbers.par_iter().flat_map(halves).sum()
    }),
    ("nested", |numbers| {
        let rows = numbers.par_chunks(100);
        rows.map(|row| row.par_iter().sum::<f64>()).sum()
    }),
    ("split", |numbers| {
        let pieces = rayon::iter::split(numbers, |piece: &[f64]| {
            let (left, right) = piece.split_at(piece.len() / 2);
            if left.is_empty() {
                (piece, None)
            } else {
                (left, Some(right))
            }
        });
        pieces.map(|piece| piece.iter().sum::<f64>()).sum()
    }),
];

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let numbers = numbers();
    let expected = PROGRAMS.map(|(_, program)| pool(1, WIDTH).install(|| program(&numbers)));
    for threads in THREADS {
        let pool = pool(threads, WIDTH);
        for run in 0..RUNS {
            for ((name, program), expected) in PROGRAMS.iter().zip(expected) {
                let sum = pool.install(|| program(&numbers));
                assert_eq!(
                    sum.to_bits(),
                    expected.to_bits(),
                    "{name}, {threads} threads, run {run}"
                );
            }
        }
    }
}

/// The sums above do depend on how they are divided: other widths have other bits.
#[test]
fn the_width_decides() {
    let numbers = numbers();
    let sums = |width| {
        let pool = pool(2, width);
        PROGRAMS.map(|(_, program)| pool.install(|| program(&numbers)).to_bits())
    };
    let (of_width, others) = (sums(WIDTH), [1, 5, 16, 256].map(sums));
    for (index, (name, _)) in PROGRAMS.iter().enumerate() {
        let differs = |sums: &[u64; 10]| sums[index] != of_width[index];
        assert!(others.iter().any(differs), "{name}");
    }
}

const ROLE: &str = "FILCH_TEST_ROLE";

/// This test again, in a process of its own.
fn child(name: &str, variables: [(&str, &str); 2]) -> (bool, Vec<String>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]);
    command.env_remove("RAYON_NUM_THREADS").env(ROLE, "child");
    let output = command.envs(variables).output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
    let lines = said.iter().flat_map(|said| said.lines());
    let ours = lines.filter_map(|line| line.split_once("child: "));
    let ours = ours.map(|(_, said)| said.to_owned());
    (output.status.success(), ours.collect())
}

/// From outside every pool, an iterator is divided by the width of the global one. Its first halves
/// run on another thread than the caller's, which must not count.
#[test]
fn the_same_bits_from_outside() {
    if std::env::var_os(ROLE).is_some() {
        let numbers = numbers();
        for _ in 0..RUNS {
            let sums = PROGRAMS.map(|(_, program)| program(&numbers).to_bits());
            println!("child: {sums:x?}");
        }
        return;
    }
    let sums = |threads| {
        let name = "the_same_bits_from_outside";
        let variables = [
            ("RAYON_NUM_THREADS", threads),
            ("FILCH_DETERMINISTIC", "64"),
        ];
        let (succeeded, lines) = child(name, variables);
        assert!(succeeded && lines.len() == RUNS, "{lines:?}");
        lines
    };
    let of_one = sums("1");
    assert!(of_one.iter().all(|line| *line == of_one[0]));
    for threads in ["2", "3", "8"] {
        assert_eq!(sums(threads), of_one, "{threads} threads");
    }
}

#[test]
fn a_bad_width_is_refused() {
    if std::env::var_os(ROLE).is_some() {
        let error = ThreadPoolBuilder::new().build().unwrap_err();
        println!("child: {error}");
        return;
    }
    let variables = [("FILCH_DETERMINISTIC", "many"), ("RAYON_NUM_THREADS", "2")];
    let (succeeded, lines) = child("a_bad_width_is_refused", variables);
    assert!(
        succeeded && lines[0].contains("FILCH_DETERMINISTIC is no width"),
        "{lines:?}"
    );
}

/// Programs see the width, and indices below it.
#[test]
fn the_width_is_the_number_of_threads() {
    let four = pool(4, 16);
    assert_eq!(
        (
            four.current_num_threads(),
            four.install(current_num_threads)
        ),
        (16, 16)
    );
    assert_eq!(four.broadcast(|share| share.num_threads()), [4; 4]);
    let many = pool(8, 3);
    assert_eq!(
        (many.current_num_threads(), many.broadcast(|_| ()).len()),
        (3, 3)
    );
    let free = ThreadPoolBuilder::new()
        .num_threads(3)
        .deterministic(0)
        .build()
        .unwrap();
    assert_eq!(free.install(current_num_threads), 3);
}

/// The second closure runs on another thread while the first waits for it, and is not told so.
#[test]
fn no_closure_is_told_that_it_migrated() {
    let told = |pool: &ThreadPool| {
        let (sender, receiver) = std::sync::mpsc::channel();
        let second = move |context: rayon_core::FnContext| sender.send(context.migrated());
        let first = move |_| receiver.recv().unwrap();
        pool.install(|| rayon_core::join_context(first, second)).0
    };
    assert!(!told(&pool(2, WIDTH)));
    assert!(told(&pool(2, 0)), "the second closure does migrate");
}
