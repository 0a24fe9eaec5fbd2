//! The models around the papers: limits of many processors, rivals of the natural process, kernels
//! that take processors away, and strict computations.

mod kernels;
mod limits;
mod rivals;
mod strict;

use crate::chapters::Setting;
use crate::values::Chapter;

pub(super) const TITLE: &str = "The models around the papers: limits, rivals, kernels";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let limits = limits::LimitPlan::of(setting.scale);
    let rivals = rivals::RivalPlan::of(setting.scale);
    let kernels = kernels::KernelPlan::of(setting.scale);
    let strict = strict::StrictPlan::of(setting.scale);
    setting.expect(limits.runs() + rivals.runs() + kernels.runs() + strict.runs());
    let (mut claims, limit_table, plot) = limits.write(setting);
    let (rival_claims, rival_table) = rivals.write(setting);
    let (kernel_claims, kernel_table) = kernels.write(setting);
    let (strict_claim, strict_table) = strict.write(setting);
    claims.extend(rival_claims);
    claims.extend(kernel_claims);
    claims.push(strict_claim);
    Chapter {
        id: "models",
        title: TITLE,
        text: text(),
        measured: false,
        claims,
        tables: vec![limit_table, rival_table, kernel_table, strict_table],
        plots: vec![plot],
    }
}

fn text() -> String {
    "Four models that the papers are compared with; docs/models.md says which paper to cite for \
     each. Limits: as n → ∞, the shares of processors with each number of jobs follow \
     deterministic equations. Their fixed points are computed to within 10⁻⁹ and put beside \
     simulations of finite n, from empty queues, whose warm-up ends when the equations have come \
     within 10⁻⁶ of the fixed point. Intervals are Student's, over independent runs. Rivals: three \
     other ways to balance the jobs of the same generators. Their theorems have constants that the \
     sources at hand do not give, so the table has the least constant for which the runs are within \
     the theorem, and says where its hypotheses are not met. Kernels: a computation runs on P \
     processes of which a kernel schedules P_A on average; the constant is the least c with time ≤ \
     T1/P_A + c·Tinf·P/P_A. Strict computations: threads join with their k-th ancestors, and the \
     rules of BL99 run them."
        .to_owned()
}
