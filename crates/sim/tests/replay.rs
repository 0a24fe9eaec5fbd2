//! The replay of recorded computations, against exact answers, bounds and the machine in steps.

use filch_profile::{Dag, Duration, SiteId, Step, Task, TaskId};
use filch_random::{Purpose, Seed};
use filch_sim::machine::replay::{Caller, Entry, Prices, Replay, Replayed, Script};
use rand::RngExt;

mod replay {
    pub(super) mod steps;
}

const SITE: SiteId = SiteId(0);

fn picos(time: u64) -> Duration {
    Duration::from_picos(time)
}

/// A dag of `tasks` tasks. Without `strays`, children are spawned by the body of a scope alone.
fn random_dag(seed: u64, tasks: u32, strays: bool) -> (Dag, TaskId) {
    let mut rng = Seed::new(seed).stream(Purpose::named("dags"), 0, 0);
    let mut dag = Dag::default();
    let mut roots = Vec::new();
    for number in 0..tasks {
        let mut any = |most: u32| rng.random_range(0..most);
        let steps = if number == 0 { 1 } else { 1 + any(4) };
        let mut task = Task::default();
        for _ in 0..steps {
            let kind = if number == 0 { 0 } else { any(7) };
            let mut child = || roots[(number - 1 - any(number).min(any(4))) as usize];
            let step = match kind {
                0..=2 => Step::Work(picos(any(20).into())),
                3 | 4 => Step::Join {
                    site: SITE,
                    first: child(),
                    second: child(),
                },
                5 => Step::Scope {
                    site: SITE,
                    body: child(),
                },
                _ if strays => Step::Spawn {
                    site: SITE,
                    child: child(),
                },
                _ => {
                    let spawns = [child(), child(), child()];
                    let spawns = spawns.map(|child| Step::Spawn { site: SITE, child });
                    let body = dag.add(Task::new(spawns.to_vec()));
                    Step::Scope { site: SITE, body }
                }
            };
            task.steps.push(step);
        }
        roots.push(dag.add(task));
    }
    // Some are too large to be run hundreds of times.
    let forks = |root: &&TaskId| dag.measures(**root).forks < 3000;
    let root = *roots.iter().rev().find(forks).expect("a leaf is small");
    (dag, root)
}

fn caller(root: TaskId) -> Caller {
    Caller(vec![Entry {
        after: Duration::ZERO,
        root,
        is_awaited: true,
    }])
}

fn run(script: &Script, root: TaskId, processors: usize, prices: Prices, seed: u64) -> Replayed {
    let replay = Replay {
        processors,
        workers: 1 << 20,
        prices,
        rested: false,
    };
    replay.run(script, &[caller(root)], Seed::new(seed), 0)
}

/// Prices that differ from one another and from strands.
fn some_prices() -> Prices {
    Prices {
        fork: picos(3),
        steal: picos(7),
        wake: picos(31),
        search: picos(13),
        patience: picos(13),
        start: picos(11),
    }
}

/// On one processor a run takes the work and the forks, to the picosecond.
#[test]
fn one_processor_takes_the_serial_time() {
    for seed in 0..300 {
        let (dag, root) = random_dag(seed, 20, seed % 2 == 0);
        let measures = dag.measures(root);
        for prices in [Prices::NONE, some_prices()] {
            let script = Script::of(&dag, Duration::ZERO, prices.fork);
            let time = measures.work.picos() + measures.forks * prices.fork.picos();
            let done = run(&script, root, 1, prices, seed);
            assert_eq!(done.time, picos(time), "seed {seed}");
            assert_eq!(done.steals, 0, "seed {seed}");
            assert_eq!(script.work(root), picos(time));
        }
    }
}

/// With a processor for every strand and without prices, a run takes the span.
#[test]
fn enough_processors_take_the_span() {
    for seed in 0..300 {
        let (dag, root) = random_dag(seed, 14, false);
        let measures = dag.measures(root);
        if measures.forks > 500 {
            continue;
        }
        let script = Script::of(&dag, Duration::ZERO, Duration::ZERO);
        let done = run(&script, root, 600, Prices::NONE, seed);
        assert_eq!(done.time, measures.span, "seed {seed}");
        assert_eq!(script.span(root), measures.span, "seed {seed}");
    }
}

/// Without prices the machine is greedy: Graham's bound holds in every run, exactly. That is so as
/// long as tasks spawn into scopes of their own: a worker runs what its frames have left for a
/// scope further out on top of a frame that may become ready meanwhile.
#[test]
fn without_prices_no_processor_idles() {
    for seed in 0..300 {
        let (dag, root) = random_dag(seed, 20, false);
        let measures = dag.measures(root);
        let script = Script::of(&dag, Duration::ZERO, Duration::ZERO);
        for processors in [2, 3, 5, 16] {
            let done = run(&script, root, processors, Prices::NONE, seed);
            let (p, time) = (processors as u64, done.time.picos());
            let (work, span) = (measures.work.picos(), measures.span.picos());
            assert!(time >= span && p * time >= work, "seed {seed}, P = {p}");
            assert!(
                p * time <= work + (p - 1) * span,
                "seed {seed}, P = {p}: {time} of {work} and {span}"
            );
        }
    }
}

/// With prices no run is shorter than its work and its span allow, and the same seed gives the same
/// run. With few workers it takes longer and still ends.
#[test]
fn prices_take_time() {
    for seed in 0..200 {
        let (dag, root) = random_dag(seed, 20, seed % 2 == 0);
        let prices = some_prices();
        let script = Script::of(&dag, Duration::ZERO, prices.fork);
        for processors in [2, 4, 9] {
            let done = run(&script, root, processors, prices, seed);
            let least = script.work(root).picos().div_ceil(processors as u64);
            assert!(done.time.picos() >= least, "seed {seed}");
            assert!(done.time >= script.span(root), "seed {seed}");
            assert_eq!(done, run(&script, root, processors, prices, seed));
            let few = Replay {
                processors,
                workers: processors,
                prices,
                rested: true,
            };
            let done = few.run(&script, &[caller(root)], Seed::new(seed), 0);
            assert!(done.time >= script.span(root), "seed {seed}");
            assert_eq!(done.hand_overs, 0);
        }
    }
}

/// A steal is paid for by the time that it takes, awake and asleep.
#[test]
fn a_stolen_task_begins_after_its_price() {
    let mut dag = Dag::default();
    let leaf = dag.add(Task::new(vec![Step::Work(picos(100))]));
    let root = dag.add(Task::new(vec![Step::Join {
        site: SITE,
        first: leaf,
        second: leaf,
    }]));
    let prices = some_prices();
    let script = Script::of(&dag, Duration::ZERO, prices.fork);
    let two = Replay {
        processors: 2,
        workers: 2,
        prices,
        rested: false,
    };
    let callers = [caller(root)];
    assert_eq!(two.run(&script, &callers, Seed::new(1), 0).time, picos(107));
    // The thief is woken, and ends after 131. The patience of the worker that waits is over at 113:
    // it sleeps by then, and is woken as well.
    let rested = Replay {
        rested: true,
        ..two
    };
    assert_eq!(
        rested.run(&script, &callers, Seed::new(1), 0).time,
        picos(162)
    );
    let patience = picos(40);
    let patient = Replay {
        prices: Prices { patience, ..prices },
        ..rested
    };
    assert_eq!(
        patient.run(&script, &callers, Seed::new(1), 0).time,
        picos(131)
    );
}

/// Entries of two callers share the processors; one that is not awaited holds its caller up no
/// longer.
#[test]
fn callers_enter_at_times_of_their_own() {
    let mut dag = Dag::default();
    let root = dag.add(Task::new(vec![Step::Work(picos(100))]));
    let script = Script::of(&dag, Duration::ZERO, Duration::ZERO);
    let entry = |after, is_awaited| Entry {
        after: picos(after),
        root,
        is_awaited,
    };
    let run = |processors, callers: &[Caller]| {
        let replay = Replay {
            processors,
            workers: processors,
            prices: Prices::NONE,
            rested: false,
        };
        replay.run(&script, callers, Seed::new(1), 0).time.picos()
    };
    let awaited = Caller(vec![entry(10, true), entry(20, true)]);
    let detached = Caller(vec![entry(10, false), entry(20, false)]);
    assert_eq!(run(1, std::slice::from_ref(&awaited)), 230);
    assert_eq!(run(1, std::slice::from_ref(&detached)), 210);
    assert_eq!(run(2, std::slice::from_ref(&detached)), 130);
    assert_eq!(run(2, &[awaited.clone(), awaited.clone()]), 230);
    assert_eq!(run(1, &[awaited.clone(), awaited]), 410);
    assert_eq!(run(1, &[]), 0);
}

/// Leaves that stand for small sub-computations leave T1 as it is and lengthen the span by what
/// the script says.
#[test]
fn small_tasks_become_leaves() {
    for seed in 0..100 {
        let (dag, root) = random_dag(seed, 20, seed % 2 == 0);
        let prices = some_prices();
        let whole = Script::of(&dag, Duration::ZERO, prices.fork);
        let cut = Script::of(&dag, picos(200), prices.fork);
        assert_eq!(cut.work(root), whole.work(root));
        assert!(cut.span(root) >= whole.span(root));
        let one = run(&cut, root, 1, prices, seed);
        assert_eq!(one.time, whole.work(root), "seed {seed}");
        let many = run(&cut, root, 8, prices, seed);
        assert!(many.time >= cut.span(root), "seed {seed}");
    }
}
