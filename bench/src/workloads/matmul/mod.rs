//! Matrix product by divide and conquer. Matrices lie quarter after quarter, recursively, so that
//! a quarter is a slice; a tile of 8 × 8 at the bottom lies row after row. The serial program
//! divides down to the same tile.

mod chili;
mod filch;
#[cfg(feature = "forte")]
mod forte;
mod rayon;
mod serial;

use super::{TableGroup, fork_join};
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::MatrixRow;
use crate::runtimes::ForkJoinProgram;
use crate::sampling::Sampling;
use crate::splitmix::SplitMix;

/// Rows and columns of the tile at the bottom.
const TILE: usize = 8;

/// The quarters of a matrix: upper left, upper right, lower left, lower right.
fn quarters(matrix: &[f32]) -> [&[f32]; 4] {
    let (upper, lower) = matrix.split_at(matrix.len() / 2);
    let ((ul, ur), (ll, lr)) = (
        upper.split_at(upper.len() / 2),
        lower.split_at(lower.len() / 2),
    );
    [ul, ur, ll, lr]
}

/// The same, to write to.
fn quarters_mut(matrix: &mut [f32]) -> [&mut [f32]; 4] {
    let quarter = matrix.len() / 4;
    let (upper, lower) = matrix.split_at_mut(2 * quarter);
    let ((ul, ur), (ll, lr)) = (upper.split_at_mut(quarter), lower.split_at_mut(quarter));
    [ul, ur, ll, lr]
}

/// Adds the product of the tiles `a` and `b` to the tile `c`.
fn multiply_tile(c: &mut [f32], a: &[f32], b: &[f32]) {
    for (c_row, a_row) in c.chunks_exact_mut(TILE).zip(a.chunks_exact(TILE)) {
        for (factor, b_row) in a_row.iter().zip(b.chunks_exact(TILE)) {
            for (sum, term) in c_row.iter_mut().zip(b_row) {
                *sum += factor * term;
            }
        }
    }
}

/// A product of matrices of small integers, which floats hold exactly.
#[derive(Debug)]
struct Product {
    a: Vec<f32>,
    b: Vec<f32>,
    expected: Vec<f32>,
}

impl Product {
    fn random(side: usize) -> Product {
        let mut random = SplitMix(3);
        let mut matrix = || {
            (0..side * side)
                .map(|_| (random.next() % 8) as f32)
                .collect()
        };
        let (a, b): (Vec<f32>, Vec<f32>) = (matrix(), matrix());
        let expected = row_by_column(side, &a, &b);
        Product { a, b, expected }
    }
}

/// The product by its definition, to compare with.
fn row_by_column(side: usize, a: &[f32], b: &[f32]) -> Vec<f32> {
    let places: Vec<usize> = (0..side * side)
        .map(|i| place(side, i / side, i % side))
        .collect();
    let mut product = vec![0.0; side * side];
    for row in 0..side {
        for inner in 0..side {
            let factor = a[places[row * side + inner]];
            for column in 0..side {
                let term = b[places[inner * side + column]];
                product[places[row * side + column]] += factor * term;
            }
        }
    }
    product
}

/// Where the element of `row` and `column` lies in a matrix of `side`.
fn place(side: usize, row: usize, column: usize) -> usize {
    if side == TILE {
        return row * TILE + column;
    }
    let half = side / 2;
    let quarter = 2 * (row / half) + column / half;
    quarter * half * half + place(half, row % half, column % half)
}

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let side = options.scale.pick(256, 512);
    let what = format!("{side} × {side}, tiles of {TILE} × {TILE}");
    fork_join(
        options,
        TableGroup::ForkJoin,
        "matmul",
        &what,
        &Product::random(side),
        Sampling::mean_of(1),
    )
}

impl ForkJoinProgram for Product {
    type State = Vec<f32>;
    type Output = ();

    fn state(&self) -> Vec<f32> {
        vec![0.0; self.a.len()]
    }
    fn serial(&self, state: &mut Vec<f32>) {
        serial::multiply(state, &self.a, &self.b)
    }
    fn filch(&self, state: &mut Vec<f32>) {
        filch::multiply(state, &self.a, &self.b)
    }
    fn rayon(&self, state: &mut Vec<f32>) {
        rayon::multiply(state, &self.a, &self.b)
    }
    fn chili(&self, scope: &mut ::chili::Scope<'_>, state: &mut Vec<f32>) {
        chili::multiply(scope, state, &self.a, &self.b)
    }
    #[cfg(feature = "forte")]
    fn forte(&self, worker: &::forte::Worker, state: &mut Vec<f32>) {
        forte::multiply(worker, state, &self.a, &self.b)
    }
    fn verify(&self, state: &Vec<f32>, (): ()) {
        assert!(*state == self.expected, "the product is wrong");
    }
}
