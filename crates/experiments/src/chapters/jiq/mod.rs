//! Beyond the paper: the stability region of JIQ with whole and with split batches (Remark 4.2).

mod backlog;
mod region;
mod search;
mod shown;

use crate::chapters::Setting;
use crate::values::Chapter;
use region::{RegionPlan, SERVERS, TOP, map};
use shown::{agreement, plot, remark, table};

pub(super) const TITLE: &str = "The stability region of JIQ: whole and split batches";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let plan = RegionPlan::of(setting.scale);
    let places = map(setting, &plan);
    let claims = vec![remark(&places, &plan), agreement(&places, &plan)];
    Chapter {
        id: "jiq",
        title: TITLE,
        text: format!(
            "PI Remark 4.2 says that splitting batches enlarges the stability region of JIQ and \
             leaves the explanation open. This chapter maps the region for {SERVERS} servers: \
             slow ones of mean capacity 1, and fast ones. The critical load is estimated in two \
             ways. First, by bisection on the stability verdict over {} slots from empty queues, \
             to within {}. The range shown is the widest of {} replications; it has no upper end \
             if no load up to {TOP} is unstable. Second, from the opposite start: all slow \
             servers have a backlog. Then tokens come from fast servers only, and in a slot \
             without an idle server a slow one receives λ/n jobs on average, whether batches are \
             split or not. It catches up if λ/n · P(no server is idle) < μ. Splitting matters \
             because an idle fast server that shares a batch with others is idle again sooner, so \
             fewer slots have no idle server.",
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
