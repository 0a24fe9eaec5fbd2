//! What a stream for each task costs.

use std::hint::black_box;
use std::time::Instant;

use filch::{Pedigree, Pool, join};
use rand::RngExt;

use super::figures::median_of;
use super::{Row, Table};

pub(super) const TABLE: Table = Table {
    name: "random",
    about: "Nanoseconds for each of 2¹⁶ leaves of a tree of joins on one worker, median of 15: with \
            nothing, with the place handed down, and with a number drawn from a stream at each leaf.",
    numbers: &["per leaf"],
    rows,
};

const DEPTH: u32 = 16;

fn rows() -> Vec<Row> {
    let pool = Pool::new(1).expect("the thread starts");
    let measured = |run: &(dyn Fn() -> u64 + Sync)| {
        let nanos = median_of(15, || {
            let began = Instant::now();
            black_box(pool.install(run));
            began.elapsed().as_nanos() as f64 / f64::from(1 << DEPTH)
        });
        [nanos]
    };
    vec![
        Row::new("join", measured(&|| plain(DEPTH))),
        Row::new(
            "Pedigree::join",
            measured(&|| placed(DEPTH, Pedigree::new(1), &|_| 1)),
        ),
        Row::new(
            "Pedigree::join, a number from a stream at each leaf",
            measured(&|| {
                placed(DEPTH, Pedigree::new(1), &|mut place| {
                    place.stream().random()
                })
            }),
        ),
    ]
}

fn plain(depth: u32) -> u64 {
    if depth == 0 {
        return black_box(1);
    }
    let (left, right) = join(|| plain(depth - 1), || plain(depth - 1));
    left.wrapping_add(right)
}

fn placed(depth: u32, mut place: Pedigree, leaf: &(impl Fn(Pedigree) -> u64 + Sync)) -> u64 {
    if depth == 0 {
        return black_box(leaf(place));
    }
    let (left, right) = place.join(
        |place| placed(depth - 1, place, leaf),
        |place| placed(depth - 1, place, leaf),
    );
    left.wrapping_add(right)
}
