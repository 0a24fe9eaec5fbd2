//! The raw results, for spreadsheets and other programs.

use filch_experiments::dispatch::{FarmRun, Situation};
use filch_report::csv::{Csv, Field};

use super::arrivals;

/// Names and contents: one line for each run, each point of its trajectory, each completion time.
pub(super) fn files(situations: &[Situation<'_>]) -> Vec<(&'static str, String)> {
    let mut runs = Csv::new(&[
        "servers",
        "arrivals",
        "load",
        "batches",
        "policy",
        "verdict",
        "mean_total_queue",
        "low",
        "high",
        "messages_per_slot",
        "slots",
        "jobs",
        "served",
        "batches_arrived",
        "sub_batches",
        "messages",
    ]);
    let mut queues = Csv::new(&[
        "servers",
        "arrivals",
        "batches",
        "policy",
        "last_slot",
        "mean_total_queue",
    ]);
    let mut completions = Csv::new(&["servers", "arrivals", "batches", "policy", "slots", "jobs"]);
    for situation in situations {
        let arrivals = arrivals(situation);
        let [farm, arrivals] = [Field::Name(&situation.farm.name), Field::Name(&arrivals)];
        let batches = Field::Keyword(situation.batches.name());
        for FarmRun { outcome, estimates } in &situation.runs {
            let policy = estimates.policy.to_string();
            let policy = Field::Name(&policy);
            let [low, high] = estimates
                .interval
                .map_or([Field::Empty; 2], |ends| ends.map(Field::Real));
            runs.row(&[
                farm,
                arrivals,
                situation.demand.load().into(),
                batches,
                policy,
                Field::Keyword(estimates.verdict.name()),
                estimates.mean_queue.into(),
                low,
                high,
                estimates.messages_per_slot.into(),
                u64::from(outcome.slots).into(),
                outcome.jobs.into(),
                outcome.served.into(),
                outcome.arrived.into(),
                outcome.sub_batches.into(),
                outcome.messages.into(),
            ]);
            let every = u64::from(outcome.trajectory.every());
            for (last, mean) in (1..)
                .map(|point| point * every)
                .zip(outcome.trajectory.means())
            {
                queues.row(&[farm, arrivals, batches, policy, last.into(), mean.into()]);
            }
            for &(slots, jobs) in outcome.completions.iter().flat_map(|times| &times.counts) {
                completions.row(&[farm, arrivals, batches, policy, slots.into(), jobs.into()]);
            }
        }
    }
    vec![
        ("runs.csv", runs.into_text()),
        ("queues.csv", queues.into_text()),
        ("completions.csv", completions.into_text()),
    ]
}
