//! Programs that show what a rule does not promise.

use filch_sim::machine::{Machine, MachineOutcome, Rule, Scheduler};
use filch_workload::dag::Family;

use super::{HAND_OVER, HELP_ANY, LEAPFROG, NEAR, OWN};
use crate::chapters::{Scale, Setting};
use crate::values::{Claim, Outcome};

const STATED: &str = "docs/waiting.md";

fn list(scale: Scale) -> (String, usize) {
    let processors = scale.pick(8, 16, 32);
    (format!("list:{}:200", 10 * processors), processors)
}

const DEEP: (&str, usize) = ("deep:100:64:100:150", 4);

/// Stairs of two lengths, beside as many fillers as keep the others busy.
const STAIRS: [&str; 2] = ["stairs:20:4000:50", "stairs:200:4000:50"];
const CLIMBERS: usize = 8;

/// How many runs [`claims`] makes: three for the reach, two for the own seat, and the stairs.
pub(super) fn runs() -> usize {
    3 + 2 + STAIRS.len()
}

pub(super) fn claims(setting: &Setting<'_>) -> Vec<Claim> {
    vec![reach(setting), own_seat(setting), stairs(setting)]
}

/// A run of a family under each of these rules.
fn run(
    setting: &Setting<'_>,
    name: &str,
    processors: usize,
    rules: &[Rule],
) -> Vec<MachineOutcome> {
    let family: Family = name.parse().expect("a family");
    setting.runs(rules.len(), |at| {
        let machine = Machine::new(Scheduler::ForkJoin(rules[at as usize]), processors);
        machine.run(&family.computation(), setting.seed, 0)
    })
}

fn reach(setting: &Setting<'_>) -> Claim {
    let (name, processors) = list(setting.scale);
    let outcomes = run(setting, &name, processors, &[NEAR, LEAPFROG, HELP_ANY]);
    let [near, whole, any] = [0, 1, 2].map(|at| outcomes[at].time as f64);
    Claim {
        claim: "Along a list a waiting worker must see everything below it, through all that its \
                helpers run"
            .to_owned(),
        stated: STATED,
        checked: format!("{name} on {processors} processors: leapfrog-near over leapfrog"),
        found: format!("{near} steps, {whole} with the whole reach, {any} under help-any"),
        measured: Some(near / whole),
        bound: Some(2.0),
        outcome: Outcome::of(near > 2.0 * whole && whole <= any),
    }
}

fn own_seat(setting: &Setting<'_>) -> Claim {
    let (name, processors) = DEEP;
    let family: Family = name.parse().expect("a family");
    let bound = family.measures().stack_depth * processors as u64;
    let outcomes = run(setting, name, processors, &[OWN, HAND_OVER]);
    let [own, passed] = [0, 1].map(|at| outcomes[at].peak_space);
    Claim {
        claim:
            "A worker that waits for the seat that it had is a leaf without a processor, and S1·P \
                breaks"
                .to_owned(),
        stated: STATED,
        checked: format!("live frames of {name} on {processors} processors"),
        found: format!("{own} under hand-over-own, {passed} under hand-over, S1·P = {bound}"),
        measured: Some(own as f64),
        bound: Some(bound as f64),
        outcome: Outcome::of(own > bound && passed <= bound),
    }
}

fn stairs(setting: &Setting<'_>) -> Claim {
    let workers = STAIRS.map(|name| {
        let outcomes = run(setting, name, CLIMBERS, &[HAND_OVER]);
        outcomes[0].stacks.map_or(0, |stacks| stacks.workers)
    });
    let [short, long] = workers;
    Claim {
        claim:
            "No bound on workers in P alone keeps hand-over from waiting: stairs need workers by \
                their length"
                .to_owned(),
        stated: STATED,
        checked: format!(
            "workers of {} on {CLIMBERS} processors",
            STAIRS.join(" and ")
        ),
        found: format!("{short} and {long}"),
        measured: Some(long as f64),
        bound: Some(2.0 * short as f64),
        outcome: Outcome::of(long > 2 * short),
    }
}
