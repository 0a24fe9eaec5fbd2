//! Matrix product with forte: four quarters at a time.

use forte::Worker;

use super::{TILE, multiply_tile, quarters, quarters_mut};

/// Adds the product of `a` and `b` to `c`.
pub(crate) fn multiply(w: &Worker, c: &mut [f32], a: &[f32], b: &[f32]) {
    if c.len() == TILE * TILE {
        return multiply_tile(c, a, b);
    }
    let [c00, c01, c10, c11] = quarters_mut(c);
    let [a00, a01, a10, a11] = quarters(a);
    let [b00, b01, b10, b11] = quarters(b);
    w.join(
        |w| {
            w.join(
                |w| quarter(w, c00, (a00, b00), (a01, b10)),
                |w| quarter(w, c01, (a00, b01), (a01, b11)),
            )
        },
        |w| {
            w.join(
                |w| quarter(w, c10, (a10, b00), (a11, b10)),
                |w| quarter(w, c11, (a10, b01), (a11, b11)),
            )
        },
    );
}

/// Adds two products to `c`, one after the other.
fn quarter(w: &Worker, c: &mut [f32], first: (&[f32], &[f32]), second: (&[f32], &[f32])) {
    multiply(w, c, first.0, first.1);
    multiply(w, c, second.0, second.1);
}
