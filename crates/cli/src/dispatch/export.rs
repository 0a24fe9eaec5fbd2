//! The raw results, for spreadsheets and other programs.

use std::fmt::Write as _;

use filch_experiments::dispatch::{FarmRun, Situation};

use super::arrivals;

/// Names and contents: one line for each run, each point of its trajectory, each completion time.
pub(super) fn files(situations: &[Situation<'_>]) -> Vec<(&'static str, String)> {
    let mut runs = String::from(
        "servers,arrivals,load,batches,policy,verdict,mean_total_queue,low,high,messages_per_slot,\
         slots,jobs,served,batches_arrived,sub_batches,messages\n",
    );
    let mut queues = String::from("servers,arrivals,batches,policy,last_slot,mean_total_queue\n");
    let mut completions = String::from("servers,arrivals,batches,policy,slots,jobs\n");
    for situation in situations {
        let farm = quoted(&situation.farm.name);
        let arrivals = quoted(&arrivals(situation));
        let load = situation
            .demand
            .load()
            .map_or(String::new(), |load| load.to_string());
        let batches = situation.batches;
        for FarmRun { outcome, estimates } in &situation.runs {
            let policy = quoted(&estimates.policy.to_string());
            let [low, high] = estimates
                .interval
                .map_or([String::new(), String::new()], |ends| {
                    ends.map(|end| end.to_string())
                });
            let _ = writeln!(
                runs,
                "{farm},{arrivals},{load},{batches},{policy},{},{},{low},{high},{},{},{},{},{},{},{}",
                estimates.verdict,
                estimates.mean_queue,
                estimates.messages_per_slot,
                outcome.slots,
                outcome.jobs,
                outcome.served,
                outcome.arrived,
                outcome.sub_batches,
                outcome.messages,
            );
            let run = format!("{farm},{arrivals},{batches},{policy}");
            let every = u64::from(outcome.trajectory.every());
            for (last, mean) in (1..)
                .map(|point| point * every)
                .zip(outcome.trajectory.means())
            {
                let _ = writeln!(queues, "{run},{last},{mean}");
            }
            for (slots, jobs) in outcome.completions.iter().flat_map(|times| &times.counts) {
                let _ = writeln!(completions, "{run},{slots},{jobs}");
            }
        }
    }
    vec![
        ("runs.csv", runs),
        ("queues.csv", queues),
        ("completions.csv", completions),
    ]
}

/// A field in quotes, with quotes inside doubled (RFC 4180).
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
