use super::Model;

/// Theorem 3.2, and 3.4 for split batches: PI keeps every farm stable that can be kept stable at all,
/// that is if λ < Σ μ_i.
///
/// Beyond that no policy can: on average more arrives than all servers together complete.
pub fn pi_is_stable(model: &Model) -> bool {
    model.batch_mean < model.capacity()
}
