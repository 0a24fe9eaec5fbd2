//! What a model says of the shares of processors.

/// A limit as n → ∞: how fast the share of processors with each number of jobs changes.
///
/// `shares[l]` is the share of processors with l jobs, up to a largest number L that the solver
/// chooses. A job that would come to a processor with L jobs is lost; the solver enlarges L until
/// this does not matter.
pub trait MeanField {
    /// Writes dp/dt into `drift`, or for a model in steps the change of p in one step. The drifts
    /// of all shares sum to 0.
    fn drift(&self, shares: &[f64], drift: &mut [f64]);

    /// A length of time for which `shares + stride · drift` never has a negative share: 1 for a
    /// model in steps, at most one over the largest rate out of a state in continuous time.
    fn stride(&self) -> f64;

    /// λ: jobs that arrive for each processor in a unit of time.
    fn arrivals(&self) -> f64;
}
