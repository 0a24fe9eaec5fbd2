//! Beyond the paper: where JIQ stops being stable, with whole and with split batches (Remark 4.2).

mod backlog;
mod region;
mod search;
mod shown;

use crate::chapters::Setting;
use crate::values::Chapter;
use region::{RegionPlan, SERVERS, TOP, map};
use shown::{agreement, plot, remark, table};

pub(super) const TITLE: &str = "Where JIQ is stable: whole and split batches";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let plan = RegionPlan::of(setting.scale);
    let places = map(setting, &plan);
    let claims = vec![remark(&places, &plan), agreement(&places, &plan)];
    Chapter {
        id: "jiq",
        title: TITLE,
        text: format!(
            "PI Remark 4.2 says that splitting enlarges the stability region of JIQ and leaves it as a \
             challenge to say why. Here is the region: {SERVERS} servers, slow ones of mean capacity 1 among \
             fast ones, and the load at which the verdict on {} slots from empty turns to unstable, by \
             bisection to within {}. The bounds are the widest of {} replications: below the lower one no \
             growth was seen, above the upper one it was. Where no load up to {TOP} is called unstable \
             there is no upper bound. The other estimate begins at the other end: all slow servers are \
             behind, so tokens come from fast servers only, and a slow server gets λ/n jobs on average in \
             every slot in which nobody is idle, whether batches are split or not. It catches up if \
             λ/n · P(nobody is idle) < μ. Splitting matters because an idle fast server that shares a \
             batch with others is idle again sooner, so that there are fewer slots without any.",
            plan.slots, plan.resolution, plan.replications,
        ),
        measured: false,
        claims,
        tables: vec![table(&places)],
        plots: plan
            .ratios
            .iter()
            .map(|&ratio| plot(&places, &plan, ratio))
            .collect(),
    }
}
