//! PI, Theorems 3.2 and 3.4: where PI is stable.

use super::FarmModel;

/// Theorem 3.2, and 3.4 for split batches: PI is stable whenever λ < Σ μ_i, that is, whenever any
/// policy is. Otherwise more jobs arrive on average than all servers together complete.
///
/// **A gap in the proof of Theorem 3.4.** It looks at the sampling times, at which some server
/// other than the Last-Idle one is idle, and uses two facts that splitting breaks:
///
/// 1. If exactly one other server is idle, "batches are not split until the next sampling time".
///    But the Last-Idle server may be idle too. Then there are two idle servers, and the batch may
///    be split over both.
/// 2. If two others are idle, "the next sampling time must be after exactly 1 time slot". But each
///    of them may get a part of the batch and have jobs left at the end of the slot. Then no server
///    is idle for many slots.
///
/// `filch reproduce` counts how often either happens.
///
/// **Repaired.** Let two servers or more be idle at a sampling time, and let a be the batch that
/// arrives. If the next slot is no sampling time, then every server that was idle, other than the
/// new Last-Idle one, got at most a jobs. There is such a server, and it serves a job in every
/// slot. So the next sampling time is at most 1 + a slots away. Until then the servers that were
/// idle get at most S = a(1) + … + a(1 + a) jobs, and the longest queue, which gets none, falls by
/// 1 at least. With E\[S²\] = (1 + λ)²(σ_a² + λ²) + λσ_a² inequality 20 follows once Q_max^γ
/// exceeds
///
/// ```text
/// ε(1 + λ) + (1 + λ)²(σ_a² + λ²) + λσ_a²
/// ```
///
/// which takes the place of ε + n(σ_a² + λ²) in the third member of equation 65. The rest of the
/// proof stands, and so does the theorem.
pub fn pi_is_stable(model: &FarmModel) -> bool {
    model.batch_mean < model.capacity()
}
