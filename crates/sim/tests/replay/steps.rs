//! Against the machine that goes step by step.

use filch_profile::{Dag, Duration, SiteId, Step, Task, TaskId};
use filch_random::Seed;
use filch_sim::machine::replay::{Caller, Entry, Prices, Replay, Script};
use filch_sim::machine::{Costs, Machine, Rule, Scheduler, WayBack};
use filch_workload::dag::{Dag as Instructions, Family};

const STEP: u64 = 1000;
const HAND_OVER: Scheduler = Scheduler::ForkJoin(Rule::HandOver(WayBack::Passed));

fn steps(count: u64) -> Duration {
    Duration::from_picos(count * STEP)
}

/// A computation whose threads join with all their children at once, as strands that take a step
/// for each instruction.
fn recorded(computation: &Instructions) -> (Dag, TaskId) {
    fn thread(from: &Instructions, number: usize, dag: &mut Dag) -> TaskId {
        let (mut done, mut open, mut living) = (Vec::new(), Vec::new(), 0);
        for instruction in from.instructions_of(number) {
            let joined = from.joins_into(instruction);
            if joined > 0 {
                assert_eq!(joined, living, "it joins with all of its children");
                living = 0;
                let body = dag.add(Task::new(std::mem::take(&mut open)));
                done.push(Step::Scope {
                    site: SiteId(0),
                    body,
                });
            }
            open.push(Step::Work(steps(1)));
            if let Some(child) = from.spawned_by(instruction) {
                living += 1;
                let child = thread(from, child, dag);
                open.push(Step::Spawn {
                    site: SiteId(0),
                    child,
                });
            }
        }
        done.extend(open);
        dag.add(Task::new(done))
    }
    let mut dag = Dag::default();
    let root = thread(computation, computation.root_thread(), &mut dag);
    (dag, root)
}

/// The mean times of both machines, in steps.
fn compared(family: &str, processors: usize, costs: Costs) -> [f64; 2] {
    const RUNS: u64 = 8;
    let family: Family = family.parse().expect("a family");
    let (dag, root) = recorded(&family.dag());
    let measures = family.measures();
    assert_eq!(dag.measures(root).work, steps(measures.work));
    assert_eq!(dag.measures(root).span, steps(measures.span));
    let script = Script::of(&dag, Duration::ZERO, Duration::ZERO);
    let caller = Caller(vec![Entry {
        after: Duration::ZERO,
        root,
        is_awaited: true,
    }]);
    let replay = Replay {
        processors,
        workers: 1 << 20,
        prices: Prices {
            fork: Duration::ZERO,
            steal: steps(costs.attempt),
            wake: steps(costs.wake),
            search: steps(costs.patience),
            patience: steps(costs.patience),
            start: steps(costs.start),
        },
        rested: false,
    };
    let machine = Machine {
        costs,
        ..Machine::new(HAND_OVER, processors)
    };
    let mut sums = [0.0; 2];
    for run in 0..RUNS {
        let seed = Seed::new(7);
        let replayed = replay.run(&script, std::slice::from_ref(&caller), seed, run);
        let stepped = machine.run(&family.computation(), seed, run);
        if processors == 1 {
            assert_eq!(replayed.time, steps(stepped.time), "{family}");
        }
        sums[0] += replayed.time.picos() as f64 / STEP as f64;
        sums[1] += stepped.time as f64;
    }
    sums.map(|sum| sum / RUNS as f64)
}

/// Where there is far more parallelism than processors, both machines take the same time: the mean
/// of eight runs differs by less than 3 %, and by nothing on one processor. Where there is less,
/// the machine in steps takes longer, since its thieves ask one deque at a time.
#[test]
fn the_machine_in_steps_takes_as_long() {
    let cheap = Costs {
        attempt: 1,
        wake: 1,
        patience: 1,
        start: 1,
    };
    for family in [
        "fib:18",
        "tree:11:9",
        "items:200:200:600",
        "stairs:12:600:200",
    ] {
        for costs in [cheap, Costs::default()] {
            for processors in [1, 2, 4, 8] {
                let [replayed, stepped] = compared(family, processors, costs);
                let apart = replayed / stepped - 1.0;
                assert!(
                    apart.abs() < 0.03,
                    "{family} on {processors}: {replayed} and {stepped} steps"
                );
            }
        }
    }
}
