//! Programs that fork at every node, with their work and span.

use std::hint::black_box;

use filch::join;

use crate::chapters::Scale;

pub(super) struct MeasuredProgram {
    pub(super) name: String,
    /// All nodes.
    pub(super) work: u64,
    /// Nodes on a longest path.
    pub(super) span: u64,
    pub(super) run: Box<dyn Fn() -> u64 + Sync>,
}

pub(super) fn programs(scale: Scale) -> Vec<MeasuredProgram> {
    let n = scale.pick(26, 31, 36);
    let depth = scale.pick(14, 17, 21);
    vec![
        MeasuredProgram {
            name: format!("fib({n})"),
            work: 2 * fib(n + 1) - 1,
            span: n,
            run: Box::new(move || fib(black_box(n))),
        },
        MeasuredProgram {
            name: format!("tree of depth {depth} with leaves of about 200 ns"),
            work: (2 << depth) - 1,
            span: depth + 1,
            run: Box::new(move || tree(black_box(depth))),
        },
        MeasuredProgram {
            name: "comb: a chain of forks".to_owned(),
            work: 2 * COMB,
            span: COMB + 1,
            run: Box::new(|| comb(black_box(COMB))),
        },
    ]
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn tree(depth: u64) -> u64 {
    if depth == 0 {
        return leaf();
    }
    let (a, b) = join(|| tree(depth - 1), || tree(depth - 1));
    a.wrapping_add(b)
}

const COMB: u64 = 2000;

/// A chain in which every node forks one leaf: half of the nodes are on one path.
fn comb(forks: u64) -> u64 {
    if forks == 0 {
        return 0;
    }
    let (a, b) = join(|| comb(forks - 1), leaf);
    a.wrapping_add(b)
}

pub(super) fn leaf() -> u64 {
    (0..100).fold(black_box(1), |x: u64, i| {
        (x ^ i).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}
