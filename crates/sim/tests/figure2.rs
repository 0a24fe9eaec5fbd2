//! What BL99 section 3 says about its Figure 2: the schedule of Figure 1 on two processors by the
//! Busy-Leaves algorithm, sentence by sentence.

use filch_random::Seed;
use filch_sim::machine::{Act, Machine, Record, Scheduler, Then};
use filch_workload::dag::Family;

fn schedule() -> Record {
    let computation = Family::Figure1.computation();
    let machine = Machine::new(Scheduler::BusyLeaves, 2);
    let (_, record) = machine
        .recorded(&computation, Seed::new(1), 0, 100)
        .unwrap();
    record
}

/// What processor `p` does in step `step`, both counted from 1: thread and instruction.
fn at(record: &Record, step: usize, p: usize) -> Option<(String, String, Then)> {
    match &record.steps[step - 1].acts[p - 1] {
        Act::Work {
            thread,
            instruction,
            then,
            ..
        } => Some((
            record.threads[*thread].name.clone(),
            instruction.clone(),
            *then,
        )),
        Act::Idle => None,
        other => panic!("busy-leaves does not steal: {other:?}"),
    }
}

fn executes(record: &Record, step: usize, p: usize, thread: &str, instruction: &str) -> bool {
    matches!(at(record, step, p), Some((t, i, _)) if t == thread && i == instruction)
}

/// The pool in step `step`: ready threads with a star.
fn pool(record: &Record, step: usize) -> Vec<String> {
    let pool = record.steps[step - 1].pool.iter();
    pool.map(|pooled| {
        let name = &record.threads[pooled.thread].name;
        if pooled.ready {
            format!("{name}*")
        } else {
            name.clone()
        }
    })
    .collect()
}

/// "At step 2, processor p1 working on thread Γ1 executes v2, which spawns the child Γ2, so p1
/// places Γ1 back in the pool (to be picked up at the beginning of the next step by the idle p2)
/// and begins the next step working on Γ2."
#[test]
fn rule_1_at_step_2() {
    let record = schedule();
    assert!(executes(&record, 2, 1, "Γ1", "v2"));
    let Act::Work { spawns, .. } = record.steps[1].acts[0] else {
        panic!("p1 works");
    };
    assert_eq!(record.threads[spawns.unwrap()].name, "Γ2");
    assert_eq!(at(&record, 2, 2), None, "p2 is idle");
    assert!(executes(&record, 3, 2, "Γ1", "v16"), "p2 picks up Γ1");
    assert!(executes(&record, 3, 1, "Γ2", "v3"));
}

/// "At step 8, processor p2 working on thread Γ1 executes v21 and Γ1 stalls, so p2 returns Γ1 to
/// the pool and begins the next step idle (and remains idle since the thread pool contains no ready
/// threads)."
#[test]
fn rule_2_at_step_8() {
    let record = schedule();
    assert_eq!(
        at(&record, 8, 2),
        Some(("Γ1".into(), "v21".into(), Then::Stalled))
    );
    assert_eq!(at(&record, 9, 2), None);
    assert_eq!(pool(&record, 9), ["Γ1"], "in the pool, and not ready");
}

/// "At step 13, processor p1 working on Γ2 executes v15 and Γ2 dies, so p1 retrieves the parent Γ1
/// from the pool and begins the next step working on Γ1."
#[test]
fn rule_3_at_step_13() {
    let record = schedule();
    assert_eq!(
        at(&record, 13, 1),
        Some(("Γ2".into(), "v15".into(), Then::Dead))
    );
    assert_eq!(pool(&record, 13), ["Γ1"]);
    assert_eq!(
        at(&record, 14, 1).map(|(thread, ..)| thread),
        Some("Γ1".into())
    );
}

/// The whole table. Steps 1 to 11 and step 13 follow from the rules and the text; steps 12 and 14
/// are those of our reconstruction of Figure 1.
#[test]
fn the_whole_table() {
    let record = schedule();
    let cell = |step, p| match at(&record, step, p) {
        Some((thread, instruction, _)) => format!("{thread} {instruction}"),
        None => String::new(),
    };
    let table: Vec<_> = (1..=record.steps.len())
        .map(|step| (pool(&record, step).join(" "), cell(step, 1), cell(step, 2)))
        .collect();
    let expected = [
        ("", "Γ1 v1", ""),
        ("", "Γ1 v2", ""),
        ("", "Γ2 v3", "Γ1 v16"),
        ("Γ2*", "Γ3 v4", "Γ1 v17"),
        ("Γ1* Γ2*", "Γ3 v5", "Γ6 v18"),
        ("Γ1*", "Γ2 v6", "Γ6 v19"),
        ("Γ1* Γ2*", "Γ4 v7", "Γ6 v20"),
        ("Γ2*", "Γ4 v8", "Γ1 v21"),
        ("Γ1", "Γ2 v9", ""),
        ("Γ1", "Γ5 v10", "Γ2 v13"),
        ("Γ1", "Γ5 v11", "Γ2 v14"),
        ("Γ2", "Γ5 v12", "Γ1 v22"),
        ("Γ1", "Γ2 v15", ""),
        ("", "Γ1 v23", ""),
    ];
    let expected: Vec<_> = expected
        .map(|(pool, p1, p2)| (pool.to_owned(), p1.to_owned(), p2.to_owned()))
        .into();
    assert_eq!(table, expected);
}

/// Theorem 3 on the example: T ≤ 23/2 + 10 and S ≤ 3·2.
#[test]
fn its_time_and_space_are_within_theorem_3() {
    let (computation, measures) = (Family::Figure1.computation(), Family::Figure1.measures());
    let machine = Machine::new(Scheduler::BusyLeaves, 2);
    let outcome = machine
        .checked(&computation, &measures, Seed::new(1), 0)
        .unwrap();
    assert_eq!((outcome.time, outcome.peak_space), (14, 4));
}
