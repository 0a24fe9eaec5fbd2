//! The query of polars#9310: a concatenation is cached, and three parts of another one read it.
//!
//! The first that reads the cache fills it, by an iterator inside a lazy initialiser. A thread that
//! waits for a part of that iterator must not begin another part of the outer one.

use polars::prelude::*;

const QUERIES: usize = 1_000;

fn main() -> PolarsResult<()> {
    (0..QUERIES).try_for_each(|_| query())
}

fn query() -> PolarsResult<()> {
    let numbers: Series = (0..10_u32).rev().collect();
    let frame = df! { "x" => numbers }?.lazy();
    let frame = frame.sort("x", SortOptions::default());
    let together = |frames: &[LazyFrame]| concat(frames, UnionArgs::default());
    let cached = together(&[frame.clone(), frame])?.cache();
    let twice = together(&[cached.clone(), cached.clone()])?;
    let all = together(&[cached, twice])?.without_optimizations();
    all.collect().map(drop)
}
