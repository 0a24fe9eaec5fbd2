//! Matrix product with chili: four quarters at a time.

use chili::Scope;

use super::{TILE, multiply_tile, quarters, quarters_mut};

/// Adds the product of `a` and `b` to `c`.
pub(crate) fn multiply(s: &mut Scope<'_>, c: &mut [f32], a: &[f32], b: &[f32]) {
    if c.len() == TILE * TILE {
        return multiply_tile(c, a, b);
    }
    let [c00, c01, c10, c11] = quarters_mut(c);
    let [a00, a01, a10, a11] = quarters(a);
    let [b00, b01, b10, b11] = quarters(b);
    s.join(
        |s| {
            s.join(
                |s| quarter(s, c00, (a00, b00), (a01, b10)),
                |s| quarter(s, c01, (a00, b01), (a01, b11)),
            )
        },
        |s| {
            s.join(
                |s| quarter(s, c10, (a10, b00), (a11, b10)),
                |s| quarter(s, c11, (a10, b01), (a11, b11)),
            )
        },
    );
}

/// Adds two products to `c`, one after the other.
fn quarter(s: &mut Scope<'_>, c: &mut [f32], first: (&[f32], &[f32]), second: (&[f32], &[f32])) {
    multiply(s, c, first.0, first.1);
    multiply(s, c, second.0, second.1);
}
