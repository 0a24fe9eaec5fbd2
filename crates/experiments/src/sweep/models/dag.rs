//! Computations on P simulated processors, as `filch dag run` runs them.

use filch_sim::machine::{Machine, Scheduler};
use filch_workload::dag::Family;

use super::names::{ADVERSARY, FAMILY, NEXT, ORDER, POP_TOP, SCHEDULER, VICTIM};
use super::{parameter, whole};
use crate::dag::bytes_of_a_run;
use crate::sweep::column::Column;
use crate::sweep::model::{Examined, Measured, Model};
use crate::sweep::parameter::{DefaultValue, ParameterKind};
use crate::sweep::settings::{Misfit, Settings};

pub(crate) static DAG: Model = Model {
    name: "dag",
    parameters: &[
        parameter(
            "family",
            FAMILY,
            DefaultValue::Required,
            "a computation with a name",
        ),
        parameter(
            "scheduler",
            SCHEDULER,
            DefaultValue::Required,
            "how threads are scheduled",
        ),
        parameter(
            "processors",
            whole(1, 100_000_000),
            DefaultValue::Required,
            "the number of processors",
        ),
        parameter(
            "order",
            ORDER,
            DefaultValue::Other("oldest; of the scheduler greedy only"),
            "which ready instructions come first",
        ),
        parameter(
            "adversary",
            ADVERSARY,
            DefaultValue::Other("fifo; of the scheduler stealing only"),
            "which request is served first",
        ),
        parameter(
            "next",
            NEXT,
            DefaultValue::Other("continuation; of the scheduler vertex-stealing only"),
            "which of two ready vertices comes next",
        ),
        parameter(
            "pop_top",
            POP_TOP,
            DefaultValue::Other("atomic; of the scheduler vertex-stealing only"),
            "when a steal attempt may fail",
        ),
        parameter(
            "victim",
            VICTIM,
            DefaultValue::Other("uniform; of the schedulers stealing and vertex-stealing only"),
            "which processors a thief asks",
        ),
        parameter(
            "check",
            ParameterKind::Flag,
            DefaultValue::No,
            "whether to check at every step what the papers promise of every step",
        ),
    ],
    results: &[
        Column::whole("time", "steps"),
        Column::whole("work_bucket", "dollars in the WORK bucket: instructions"),
        Column::whole(
            "steal_bucket",
            "dollars in the STEAL bucket: steal attempts",
        ),
        Column::whole("wait_bucket", "dollars in the WAIT bucket"),
        Column::whole("idle_bucket", "dollars of idle processors"),
        Column::whole("steals", "steal attempts that brought a thread"),
        Column::whole("peak_space", "the most space in use at once"),
        Column::whole(
            "communication",
            "what processors sent one another, in frames",
        ),
    ],
    target: Some("time"),
    fill,
    examine,
    run: |settings, seed, replication| {
        let (family, machine) = read(settings);
        let computation = family.computation();
        let outcome = if settings.flag("check") {
            let run = machine.checked(&computation, &family.measures(), seed, replication);
            run.map_err(|violation| violation.to_string())?
        } else {
            machine.run(&computation, seed, replication)
        };
        Ok(vec![
            outcome.time.into(),
            outcome.work.into(),
            outcome.steal.into(),
            outcome.wait.into(),
            outcome.idle.into(),
            outcome.steals.into(),
            outcome.peak_space.into(),
            outcome.communication.into(),
        ])
    },
};

const THIEVES: &[Scheduler] = &[Scheduler::Stealing, Scheduler::VertexStealing];

/// What means something to some schedulers only.
const SOME: [(&str, &[Scheduler]); 5] = [
    ("adversary", &[Scheduler::Stealing]),
    ("order", &[Scheduler::Greedy]),
    ("next", &[Scheduler::VertexStealing]),
    ("pop_top", &[Scheduler::VertexStealing]),
    ("victim", THIEVES),
];

fn fill(settings: &mut Settings<'_>) {
    let (_, plain) = read(settings);
    for (name, known) in SOME {
        if known.contains(&plain.scheduler) {
            let default = match name {
                "adversary" => plain.adversary.to_string(),
                "order" => plain.order.to_string(),
                "next" => plain.next.to_string(),
                "pop_top" => plain.pop_top.to_string(),
                _ => plain.victim.to_string(),
            };
            settings.fill(name, &*default);
        }
    }
}

fn examine(settings: &Settings<'_>, measured: &mut Measured) -> Result<Examined, Misfit> {
    let (family, plain) = read(settings);
    let scheduler = plain.scheduler;
    for (name, known) in SOME {
        if settings.is_given(name) && !known.contains(&scheduler) {
            let names: Vec<_> = known.iter().map(|scheduler| scheduler.name()).collect();
            return Err(Misfit::new(
                name,
                format!(
                    "it means nothing to the scheduler {scheduler}: leave it out, or use {}",
                    names.join(" or ")
                ),
            ));
        }
    }
    let of = measured
        .entry(family.to_string())
        .or_insert_with(|| family.measures());
    let accepted = scheduler.accepts(of);
    accepted.map_err(|why| {
        Misfit::new(
            "scheduler",
            format!("{scheduler} cannot run {family}: {why}"),
        )
    })?;
    let processors = plain.processors as u64;
    Ok(Examined {
        weight: of.work as f64 + processors as f64 * of.span as f64,
        bytes: bytes_of_a_run(&plain, of),
        random: plain.is_random(),
    })
}

fn read(settings: &Settings<'_>) -> (Family, Machine) {
    let scheduler = settings.named("scheduler").expect("it was read");
    let plain = Machine::new(scheduler, settings.whole("processors") as usize);
    let machine = Machine {
        order: settings.named("order").unwrap_or(plain.order),
        adversary: settings.named("adversary").unwrap_or(plain.adversary),
        next: settings.named("next").unwrap_or(plain.next),
        pop_top: settings.named("pop_top").unwrap_or(plain.pop_top),
        victim: settings.named("victim").unwrap_or(plain.victim),
        ..plain
    };
    (settings.named("family").expect("it was read"), machine)
}
