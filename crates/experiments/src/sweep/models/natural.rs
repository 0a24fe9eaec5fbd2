//! BFG03's process, as `filch natural` runs it.

use filch_sim::natural::MOST_PROCESSORS;
use filch_workload::{Placement, Probability};

use super::names::{PLACEMENT, STEAL};
use super::{MOST_JOBS, VERDICTS, parameter, whole};
use crate::natural::{Conclusion, Process, Replication, RunLength};
use crate::sweep::column::Column;
use crate::sweep::model::{Examined, Measured, Model};
use crate::sweep::parameter::{DefaultValue, ParameterKind};
use crate::sweep::settings::{Misfit, Settings};

pub(crate) static NATURAL: Model = Model {
    name: "natural",
    parameters: &[
        parameter(
            "processors",
            whole(1, MOST_PROCESSORS as u64),
            DefaultValue::Required,
            "the number of processors, and of generators",
        ),
        parameter(
            "lambda",
            ParameterKind::Real(probability),
            DefaultValue::Required,
            "the probability with which a generator makes a job in a step",
        ),
        parameter(
            "steal",
            STEAL,
            DefaultValue::Text("half"),
            "how many of its jobs an asked processor gives away",
        ),
        parameter(
            "generators",
            PLACEMENT,
            DefaultValue::Text("one"),
            "where the generators sit",
        ),
        parameter(
            "steps",
            whole(1, 1 << 48),
            DefaultValue::Whole(10_000),
            "steps of each run, its warm-up included",
        ),
        parameter(
            "warmup",
            whole(0, 1 << 48),
            DefaultValue::Other("half of steps"),
            "steps that do not count for the estimates",
        ),
        parameter(
            "cut",
            whole(1, MOST_JOBS),
            DefaultValue::Whole(1_000_000_000_000),
            "a run ends when the system load exceeds so many jobs",
        ),
    ],
    results: &[
        Column::real("mean_load", "the mean system load after the warm-up"),
        Column::real("ci95_low", "the low end of its 95 % interval (batch means)"),
        Column::real("ci95_high", "the high end of that interval"),
        Column::whole("load_p50", "half of the steps have at most this load"),
        Column::whole("load_p90", "90 % of the steps have at most this load"),
        Column::whole("load_p99", "99 % of the steps have at most this load"),
        Column::whole("load_p999", "99.9 % of the steps have at most this load"),
        Column::whole("load_max", "the largest load"),
        Column::whole("max_queue", "the longest queue of the whole run"),
        Column::real("requests_per_step", "the mean number of requests in a step"),
        Column::real("steals_per_step", "requests that moved a job or more"),
        Column::real("jobs_moved_per_step", "jobs that moved in a step"),
        Column::word("verdict", VERDICTS, "whether the run shows a stable load"),
        Column::whole("cut_step", "the step in which the run was cut, if it was"),
    ],
    target: Some("mean_load"),
    fill: |settings| settings.fill("warmup", settings.whole("steps") / 2),
    examine,
    run: |settings, seed, replication| {
        let (process, length) = read(settings);
        let run = Replication::run(&process, length, seed, replication, || {});
        let found = Conclusion::from(std::slice::from_ref(&run), length);
        let [low, high] = found.ci95().map_or([None; 2], |ends| ends.map(Some));
        let load = |share| found.loads.quantile(share).into();
        Ok(vec![
            found.mean_load.into(),
            low.into(),
            high.into(),
            load(0.5),
            load(0.9),
            load(0.99),
            load(0.999),
            load(1.0),
            found.longest.into(),
            found.requests.into(),
            found.steals.into(),
            found.moved.into(),
            found.verdict.name().into(),
            found.cut.into(),
        ])
    },
};

fn probability(text: &str) -> Result<f64, String> {
    let read: Result<Probability, _> = text.parse();
    read.map(Probability::get)
        .map_err(|error| error.to_string())
}

/// Steps count as many processors more: see `Settled`.
const STEP: f64 = 50.0;
/// Bytes of what is kept of a run until its row is made.
const BYTES_PER_RUN: u64 = 212_000;

fn examine(settings: &Settings<'_>, _: &mut Measured) -> Result<Examined, Misfit> {
    let (process, length) = read(settings);
    let RunLength { steps, warmup, .. } = length;
    if steps <= warmup {
        return Err(Misfit::new(
            "steps",
            format!(
                "{steps} steps leave nothing after a warmup of {warmup}: use more steps, such as {}",
                2 * warmup.max(1)
            ),
        ));
    }
    let processors = process.processors as u64;
    // Zipf's law fits any number of processors, and starting it takes memory for each of them.
    if !matches!(process.placement, Placement::Zipf(_)) {
        let fits = process.placement.start(process.processors);
        fits.map_err(|error| Misfit::new("generators", error))?;
    }
    Ok(Examined {
        weight: (processors as f64 + STEP) * steps as f64,
        bytes: process.bytes_of_a_run() + BYTES_PER_RUN,
        random: true,
    })
}

fn read(settings: &Settings<'_>) -> (Process, RunLength) {
    let process = Process {
        processors: settings.whole("processors") as usize,
        lambda: Probability::new(settings.real("lambda")).expect("it was read"),
        steal: settings.named("steal").expect("it was read"),
        placement: settings.named("generators").expect("it was read"),
        c: Process::C,
    };
    let length = RunLength {
        steps: settings.whole("steps"),
        warmup: settings.whole("warmup"),
        cut: settings.whole("cut"),
    };
    (process, length)
}
