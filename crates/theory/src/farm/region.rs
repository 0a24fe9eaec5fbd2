//! PI, Theorems 3.2 and 3.4: where PI is stable.

use super::FarmModel;

/// Theorem 3.2, and 3.4 for split batches: PI is stable whenever λ < Σ μ_i, that is, whenever any
/// policy is. Otherwise more jobs arrive on average than all servers together complete.
pub fn pi_is_stable(model: &FarmModel) -> bool {
    model.batch_mean < model.capacity()
}
