//! BL99 section 6 on runs of work stealing: rounds, critical instructions, delay sequences.

use filch_random::Seed;
use filch_sim::machine::{
    Adversary, Augmented, Delays, Event, Machine, MachineOutcome, Observer, Scheduler,
};
use filch_workload::dag::{Computation, Dag, Family};

fn dag(name: &str) -> Dag {
    name.parse::<Family>().expect("a family").dag()
}

fn computations() -> Vec<Dag> {
    let mut dags = ["fib:9", "tree:5:2", "loop:30:5", "comb:20"]
        .map(dag)
        .to_vec();
    dags.extend((0..25).map(|seed| Family::Random { threads: 60, seed }.dag()));
    dags
}

/// Every run keeps to the section, whatever the adversary and the number of processors.
#[test]
fn delay_sequences_occur() {
    let mut rounds = 0;
    for dag in computations() {
        let augmented = Augmented::of(&dag);
        let computation = Computation::Explicit(dag.clone());
        for processors in [1, 2, 5, 16] {
            for adversary in Adversary::ALL {
                let machine = Machine {
                    adversary,
                    ..Machine::new(Scheduler::Stealing, processors)
                };
                let watch = |_| Delays::of(&dag, &augmented, processors);
                let done = machine.watched(&computation, Seed::new(3), 0, watch);
                let (outcome, delays) = done.unwrap_or_else(|broken| panic!("{broken}"));
                let sequence = delays.sequence.expect("the run is over");
                rounds += sequence.rounds;
                assert!(sequence.rounds * 3 * processors as u64 <= outcome.steal);
                assert!(sequence.length() <= augmented.longest_path().unwrap());
            }
        }
    }
    assert!(rounds > 1000, "{rounds}");
}

/// A scheduler that BL99 does not speak of: ABP01's, which goes on with the parent. There critical
/// instructions lie deep in deques, and that is noticed.
#[test]
fn parents_first_is_accused() {
    let dag = dag("fib:9");
    let augmented = Augmented::of(&dag);
    let machine = Machine::new(Scheduler::VertexStealing, 2);
    let watch = |_| Delays::of(&dag, &augmented, 2);
    let computation = Computation::Explicit(dag.clone());
    let done = machine.watched(&computation, Seed::new(3), 0, watch);
    let message = done.map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("threads above it"), "{message}");
}

/// A run whose instructions are told in a wrong order has no delay sequence.
#[test]
fn a_false_report_is_accused() {
    let dag = dag("fib:6");
    let augmented = Augmented::of(&dag);
    let mut delays = Delays::of(&dag, &augmented, 1);
    let outcome = MachineOutcome::default();
    delays.happened(&Event::Asked {
        thief: 0,
        victim: 0,
    });
    assert!(delays.finished(&outcome).is_err(), "nothing was executed");
}
