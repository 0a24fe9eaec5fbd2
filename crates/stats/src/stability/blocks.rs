//! A trajectory, cut into blocks.

use super::{MIN_SAMPLES, Unfit};
use crate::{Moments, TooFew};

/// Number of blocks, K.
pub(super) const BLOCKS: usize = 32;

/// Differences below this fraction of the largest block mean are rounding, not load.
const ROUNDING: f64 = 1e-12;

/// The K block means, which is all that either test looks at.
pub(super) struct Blocks {
    /// Y_1 … Y_K.
    pub(super) means: [f64; BLOCKS],
    /// Samples in each block.
    pub(super) length: usize,
}

impl Blocks {
    /// Cuts a trajectory into K equal blocks, dropping what is left over at the end. The start must
    /// stay: growth like √time is recognised by where it began.
    pub(super) fn cut(load: &[f64]) -> Result<Self, Unfit> {
        TooFew::check(MIN_SAMPLES, load.len())?;
        if let Some(at) = load.iter().position(|x| !x.is_finite() || *x < 0.0) {
            return Err(Unfit::NoLoad {
                at,
                value: load[at],
            });
        }
        let length = load.len() / BLOCKS;
        let mean = |block: &[f64]| block.iter().collect::<Moments>().mean().unwrap_or_default();
        let means = core::array::from_fn(|k| mean(&load[k * length..][..length]));
        Ok(Self { means, length })
    }

    /// The smallest difference that is not taken for rounding.
    pub(super) fn resolution(&self) -> f64 {
        self.means.iter().copied().fold(0.0, f64::max) * ROUNDING
    }

    /// Whether all block means are the same, up to rounding.
    pub(super) fn all_equal(&self) -> bool {
        let low = self.means.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.means.iter().copied().fold(0.0, f64::max);
        high - low <= self.resolution()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remainder_at_the_end_is_dropped() {
        let mut load: Vec<f64> = (0..320).map(f64::from).collect();
        load.extend([1e6; 31]);
        let blocks = Blocks::cut(&load).unwrap();
        assert_eq!(blocks.length, 10);
        assert_eq!((blocks.means[0], blocks.means[31]), (4.5, 314.5));
        assert!(!blocks.all_equal());
    }

    #[test]
    fn rounding_is_no_difference() {
        // A third is rounded, and its sum over a block depends on where the period starts.
        let load: Vec<f64> = (0..32 * 9).map(|i| [1.0 / 3.0, 0.1, 0.7][i % 3]).collect();
        assert!(Blocks::cut(&load).unwrap().all_equal());
        assert!(Blocks::cut(&[0.0; 256]).unwrap().all_equal());
    }

    #[test]
    fn nonsense_is_refused() {
        let short = Blocks::cut(&[0.0; 255]).err().unwrap();
        assert_eq!(
            short.to_string(),
            "a stability verdict needs at least 256 samples of the load, got 255"
        );
        for value in [-1.0, f64::NAN, f64::INFINITY] {
            let mut load = vec![0.0; 256];
            load[7] = value;
            let error = Blocks::cut(&load).err().unwrap();
            assert!(matches!(error, Unfit::NoLoad { at: 7, .. }), "{error}");
            assert!(
                error
                    .to_string()
                    .ends_with(&format!("got {value} as sample 7"))
            );
        }
    }
}
