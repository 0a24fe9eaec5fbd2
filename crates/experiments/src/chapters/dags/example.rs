//! The example of BL99, Figures 1 and 2, and the augmented dag.

use filch_random::Seed;
use filch_sim::machine::{Act, Machine, Record, Scheduler, Then};
use filch_workload::dag::Family;

use crate::values::{Claim, Outcome};

pub(super) fn claims() -> Vec<Claim> {
    vec![figure1(), figure2(), augmented()]
}

fn figure1() -> Claim {
    let measures = Family::Figure1.measures();
    Claim {
        claim:
            "the example has 6 threads, 23 instructions, work 23 and span 10, and is fully strict"
                .to_owned(),
        stated: "BL99, section 2 and Figure 1",
        checked: "figure1, reconstructed from the text".to_owned(),
        found: format!(
            "{} threads, work {}, span {}, fully strict: {}",
            measures.threads, measures.work, measures.span, measures.fully_strict
        ),
        measured: Some(measures.span as f64),
        bound: Some(10.0),
        outcome: Outcome::of(
            (measures.threads, measures.work, measures.span) == (6, 23, 10)
                && measures.fully_strict,
        ),
    }
}

fn figure2() -> Claim {
    let machine = Machine::new(Scheduler::BusyLeaves, 2);
    let recorded = machine.recorded(&Family::Figure1.computation(), Seed::default(), 0, 100);
    let (_, record) = recorded.expect("a short run");
    let expected = [
        (2, 0, "Γ1", "v2", Then::Ready),
        (3, 0, "Γ2", "v3", Then::Ready),
        (8, 1, "Γ1", "v21", Then::Stalled),
        (13, 0, "Γ2", "v15", Then::Dead),
    ];
    let met = expected
        .iter()
        .filter(|(step, processor, thread, instruction, then)| {
            happened(&record, *step, *processor, thread, instruction, *then)
        });
    let met = met.count();
    let idle = record.steps[8].acts[1] == Act::Idle;
    let returns = matches!(&record.steps[13].acts[0], Act::Work { thread: 0, .. });
    Claim {
        claim: "on 2 processors, busy leaves executes v2 in step 2 (rule 1), v21 in step 8, after \
                which Γ1 stalls and p2 is idle (rule 2), and v15 in step 13, after which Γ2 dies \
                and p1 continues with Γ1 (rule 3)"
            .to_owned(),
        stated: "BL99, section 3 and Figure 2",
        checked: "figure1 by busy-leaves, P = 2".to_owned(),
        found: format!(
            "{met} of {} acts as in the paper; p2 idle in step 9: {idle}; p1 on Γ1 in step 14: \
             {returns}; {} steps",
            expected.len(),
            record.steps.len()
        ),
        measured: Some(met as f64),
        bound: Some(expected.len() as f64),
        outcome: Outcome::of(met == expected.len() && idle && returns),
    }
}

fn happened(
    record: &Record,
    step: usize,
    processor: usize,
    name: &str,
    what: &str,
    became: Then,
) -> bool {
    match &record.steps[step - 1].acts[processor] {
        Act::Work {
            thread,
            instruction,
            then,
            ..
        } => record.threads[*thread].name == name && instruction == what && *then == became,
        _ => false,
    }
}

fn augmented() -> Claim {
    let named = ["figure1", "fib:14", "tree:8:3", "loop:500:4", "comb:400"];
    let named = named.map(|name| name.parse::<Family>().expect("a family"));
    let random = (0..20).map(|seed| Family::Random { threads: 300, seed });
    let ratios = named.into_iter().chain(random).map(|family| {
        let dag = family.dag();
        dag.augmented_span() as f64 / dag.measures().span as f64
    });
    let most = ratios.fold(0.0, f64::max);
    Claim {
        claim: "deque edges at most double the length of the longest path".to_owned(),
        stated: "BL99, section 6",
        checked: "figure1, fib:14, tree:8:3, loop:500:4, comb:400 and 20 of random:300".to_owned(),
        found: format!("at most {most:.3} times the span"),
        measured: Some(most),
        bound: Some(2.0),
        outcome: Outcome::of(most <= 2.0),
    }
}
