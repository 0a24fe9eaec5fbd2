use filch::join;

/// Below this a part of the product is computed serially.
const SERIAL: usize = 16;

/// A product of two square matrices.
pub(super) struct Product {
    size: usize,
    left: Vec<f64>,
    /// Transposed.
    right: Vec<f64>,
    product: Vec<f64>,
}

impl Product {
    pub(super) fn of_size(size: usize) -> Self {
        let numbers = |step: usize| (0..size * size).map(move |at| (at * step % 17) as f64);
        Self {
            size,
            left: numbers(3).collect(),
            right: numbers(5).collect(),
            product: vec![0.0; size * size],
        }
    }

    /// Rows are split in halves down to a few.
    pub(super) fn compute(&mut self) {
        let Self {
            size, left, right, ..
        } = self;
        rows(&mut self.product, left, right, *size);
        std::hint::black_box(&self.product);
    }
}

fn rows(product: &mut [f64], left: &[f64], right: &[f64], size: usize) {
    let count = product.len() / size;
    if count > SERIAL {
        let middle = count / 2 * size;
        let (above, below) = product.split_at_mut(middle);
        let (left_above, left_below) = left.split_at(middle);
        join(
            || rows(above, left_above, right, size),
            || rows(below, left_below, right, size),
        );
        return;
    }
    for (row, left) in product.chunks_mut(size).zip(left.chunks(size)) {
        for (cell, right) in row.iter_mut().zip(right.chunks(size)) {
            *cell = left.iter().zip(right).map(|(a, b)| a * b).sum();
        }
    }
}
