//! BL99 section 6: rounds, critical instructions, delay sequences.

use filch_sim::machine::{Adversary, Augmented, Delays, Machine, Scheduler, Violation};
use filch_stats::most_errors;
use filch_theory::machine::delay_sequence;
use filch_workload::dag::{Computation, Dag, Family, Measures};

use crate::chapters::significance::allowed_errors;
use crate::chapters::{Scale, Setting};
use crate::dag::hypotheses;
use crate::values::{Claim, Outcome};

const PROCESSORS: [usize; 4] = [2, 8, 32, 128];

fn families(scale: Scale) -> Vec<Family> {
    let mut families: Vec<Family> = scale
        .pick(
            ["fib:9", "tree:5:2", "loop:30:5", "comb:20"],
            ["fib:14", "tree:8:4", "loop:200:10", "comb:100"],
            ["fib:17", "tree:11:5", "loop:1000:20", "comb:300"],
        )
        .map(|name| name.parse().expect("a family"))
        .into();
    let threads = scale.pick(40, 200, 1000);
    let seeds = 0..scale.pick(2, 6, 20);
    families.extend(seeds.map(|seed| Family::Random { threads, seed }));
    families
}

/// Runs of each computation on each number of processors: each adversary so many times.
fn each(scale: Scale) -> usize {
    Adversary::ALL.len() * scale.pick(1, 2, 10)
}

pub(super) fn total(scale: Scale) -> usize {
    families(scale).len() * PROCESSORS.len() * each(scale)
}

struct Subject {
    dag: Dag,
    computation: Computation,
    augmented: Augmented,
    measures: Measures,
}

/// What a run showed.
struct Run {
    violation: Option<Violation>,
    processors: usize,
    /// R, L and Σ π.
    sequence: [u64; 3],
    observed: u64,
    survived: u64,
    /// R over the bound on its expectation.
    part: f64,
}

fn run(setting: &Setting<'_>, subject: &Subject, processors: usize, which: usize) -> Run {
    let machine = Machine {
        adversary: Adversary::ALL[which % Adversary::ALL.len()],
        ..Machine::new(Scheduler::Stealing, processors)
    };
    let watch = |_| Delays::of(&subject.dag, &subject.augmented, processors);
    let seen = machine.watched(&subject.computation, setting.seed, which as u64, watch);
    let mut run = Run {
        violation: None,
        processors,
        sequence: [0; 3],
        observed: 0,
        survived: 0,
        part: 0.0,
    };
    match seen {
        Err(violation) => run.violation = Some(violation),
        Ok((_, delays)) => {
            let sequence = delays.sequence.expect("the run is over");
            run.sequence = [sequence.rounds, sequence.length(), sequence.in_groups()];
            (run.observed, run.survived) = (delays.observed_rounds, delays.survived);
            let given = hypotheses(&subject.measures, processors);
            let edges = subject.augmented.most_edges_out() as u64;
            run.part = sequence.rounds as f64 / delay_sequence::expected_rounds(&given, edges);
        }
    }
    run
}

pub(super) fn claims(setting: &Setting<'_>) -> Vec<Claim> {
    let subjects: Vec<Subject> = families(setting.scale)
        .iter()
        .map(|family| {
            let dag = family.dag();
            Subject {
                augmented: Augmented::of(&dag),
                computation: Computation::Explicit(dag.clone()),
                measures: family.measures(),
                dag,
            }
        })
        .collect();
    let each = each(setting.scale);
    let runs = setting.runs(total(setting.scale), |at| {
        let (subject, at) = (
            at as usize / (PROCESSORS.len() * each),
            at as usize % (PROCESSORS.len() * each),
        );
        run(
            setting,
            &subjects[subject],
            PROCESSORS[at / each],
            at % each,
        )
    });
    let checked = format!(
        "stealing on {} computations, P = 2, 8, 32, 128, adversaries fifo, lifo and random, {} \
         runs",
        subjects.len(),
        runs.len()
    );
    vec![
        occurring(&runs, &checked),
        surviving(&runs, &checked),
        rounds(&runs, checked),
    ]
}

fn occurring(runs: &[Run], checked: &str) -> Claim {
    let broken: Vec<&Violation> = runs
        .iter()
        .filter_map(|run| run.violation.as_ref())
        .collect();
    let sum = |at: usize| runs.iter().map(|run| run.sequence[at]).sum::<u64>();
    Claim {
        claim:
            "critical instructions are ready, with at most one thread above; rounds have 3·P to \
                4·P attempts and at least 4 steps; a delay sequence (U, R, Π) occurs, with one \
                instruction of U critical in every step, and Σ π ≥ R − L"
                .to_owned(),
        stated: "BL99, Definition 8 and inequality 5",
        checked: format!("{checked}, every step"),
        found: match broken.first() {
            None => format!(
                "0 violations; {} rounds, Σ π = {}, Σ L = {}",
                sum(0),
                sum(2),
                sum(1)
            ),
            Some(first) => format!("{} violations, first: {first}", broken.len()),
        },
        measured: Some(broken.len() as f64),
        bound: Some(0.0),
        outcome: Outcome::of(broken.is_empty()),
    }
}

/// Whatever the state at the beginning of a round, the chance is below q: so the number of
/// survivors is stochastically below a binomial one.
fn surviving(runs: &[Run], checked: &str) -> Claim {
    let of = |processors: usize| {
        let mine = runs.iter().filter(|run| run.processors == processors);
        mine.fold((0, 0), |sum, run| {
            (sum.0 + run.survived, sum.1 + run.observed)
        })
    };
    let sets = PROCESSORS.map(|processors| {
        let (survived, observed) = of(processors);
        (
            survived,
            observed,
            delay_sequence::survival(processors as u64),
        )
    });
    let outcomes = sets.map(|(survived, observed, rate)| {
        if survived > allowed_errors(observed, rate) {
            Outcome::DoesNotHold
        } else if observed > 0 && observed - survived > most_errors(observed, 1.0 - rate, 1e-4) {
            // Deaths are so many that a rate of survival of q would be rejected.
            Outcome::Holds
        } else {
            Outcome::Undecided
        }
    });
    let shares: Vec<String> = sets
        .iter()
        .map(|(survived, observed, rate)| format!("{survived} of {observed} (q = {rate:.3})"))
        .collect();
    Claim {
        claim: "an instruction that is critical when a round begins stays critical through it \
                with probability below q = (1 − 1/P)^(P+2) + (1 + 2/P)·(1 − 1/P)^(2P), whatever \
                the state"
            .to_owned(),
        stated: "BL99, section 6; q is ours",
        checked: format!("{checked}; in each round the critical instruction with most below it"),
        found: format!("by P: {}", shares.join(", ")),
        measured: None,
        bound: None,
        outcome: Outcome::of_all(outcomes),
    }
}

fn rounds(runs: &[Run], checked: String) -> Claim {
    let most = runs.iter().map(|run| run.part).fold(0.0, f64::max);
    Claim {
        claim: "the expected number of rounds is O(Tinf), with the constant that delay sequences \
                give"
            .to_owned(),
        stated: "BL99, section 6; the constant is ours",
        checked,
        found: format!("no run has more than {most:.4} of the bound"),
        measured: Some(most),
        bound: Some(1.0),
        outcome: Outcome::of(most <= 1.0),
    }
}
