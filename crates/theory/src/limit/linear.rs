//! Linear equations.

/// Solves `matrix · x = right` by Gaussian elimination with partial pivoting. `matrix` has a row
/// for each equation. `None` if it is singular.
pub(super) fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for column in 0..size {
        let largest = (column..size)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        if matrix[largest][column] == 0.0 {
            return None;
        }
        matrix.swap(column, largest);
        right.swap(column, largest);
        let (above, below) = matrix.split_at_mut(column + 1);
        let pivot = &above[column];
        for (row, equation) in below.iter_mut().enumerate() {
            let factor = equation[column] / pivot[column];
            if factor != 0.0 {
                let rest = equation[column..].iter_mut();
                rest.zip(&pivot[column..])
                    .for_each(|(entry, above)| *entry -= factor * above);
                right[column + 1 + row] -= factor * right[column];
            }
        }
    }
    for column in (0..size).rev() {
        let known: f64 = (column + 1..size)
            .map(|other| matrix[column][other] * right[other])
            .sum();
        right[column] = (right[column] - known) / matrix[column][column];
    }
    right.iter().all(|value| value.is_finite()).then_some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_that_needs_pivoting() {
        let matrix = vec![
            vec![0.0, 2.0, 1.0],
            vec![1.0, 1.0, 1.0],
            vec![2.0, 0.0, 3.0],
        ];
        let solved = solve(matrix, vec![7.0, 6.0, 11.0]).unwrap();
        for (value, exact) in solved.iter().zip([1.0, 2.0, 3.0]) {
            assert!((value - exact).abs() < 1e-12, "{solved:?}");
        }
    }

    #[test]
    fn a_singular_system_has_no_answer() {
        let matrix = vec![vec![1.0, 2.0], vec![2.0, 4.0]];
        assert_eq!(solve(matrix, vec![1.0, 1.0]), None);
    }
}
