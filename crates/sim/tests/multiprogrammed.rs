//! Processes on a kernel, beside what can be computed by hand.

use filch_policy::steal::Victim;
use filch_random::{Purpose, Seed, Stream};
use filch_sim::machine::multiprogrammed::{
    Adversity, Kernel, KernelName, KernelSight, Multiprogrammed, MultiprogrammedOutcome, Yield,
};
use filch_sim::machine::{Next, PopTop, Unwatched, VertexStealing};
use filch_workload::dag::{Computation, Family, Unfold, Visit};

const ASKING: Purpose = Purpose::named("victims");
const SCHEDULING: Purpose = Purpose::named("kernel");

struct OnKernel<'a, K> {
    machine: Multiprogrammed,
    kernel: &'a mut K,
    run: u64,
}

impl<K: Kernel> Visit for OnKernel<'_, K> {
    type Value = MultiprogrammedOutcome;

    fn visit<U: Unfold>(self, computation: U) -> MultiprogrammedOutcome {
        let stream = |purpose| Seed::new(1).stream(purpose, self.run, 0);
        let (mut asking, mut scheduling) = (stream(ASKING), stream(SCHEDULING));
        let machine = &self.machine;
        machine.run(computation, self.kernel, &mut asking, &mut scheduling)
    }
}

fn computation(family: &str) -> Computation {
    family.parse::<Family>().unwrap().computation()
}

fn run(
    family: &str,
    processes: usize,
    kernel: &str,
    yields: Yield,
    run: u64,
) -> MultiprogrammedOutcome {
    let mut kernel = kernel.parse::<KernelName>().unwrap().start();
    let machine = Multiprogrammed {
        processes,
        yields,
        most_steps: 100_000,
    };
    computation(family).visit(OnKernel {
        machine,
        kernel: &mut kernel,
        run,
    })
}

struct Dedicated(usize);

impl Visit for Dedicated {
    type Value = (u64, u64, u64);

    fn visit<U: Unfold>(self, computation: U) -> Self::Value {
        let machine = VertexStealing {
            processors: self.0,
            next: Next::Continuation,
            victim: Victim::UniformOther,
            pop_top: PopTop::Atomic,
        };
        let mut asking = Seed::new(1).stream(ASKING, 0, 0);
        let outcome = machine
            .run(computation, &mut asking, &mut Unwatched)
            .unwrap();
        (outcome.time, outcome.steal, outcome.steals)
    }
}

/// A kernel that takes nothing away leaves the dedicated machine, step by step.
#[test]
fn all_processes_are_the_dedicated_machine() {
    for family in [
        "fib:12",
        "tree:5:9",
        "loop:40:7",
        "random:60:3",
        "strict:60:3",
    ] {
        for processes in [1, 2, 7] {
            let found = run(
                family,
                processes,
                &format!("few:{processes}"),
                Yield::None,
                0,
            );
            let found_counts = (found.time, found.attempts, found.steals);
            assert_eq!(
                found_counts,
                computation(family).visit(Dedicated(processes)),
                "{family}"
            );
            assert_eq!(found.average(), processes as f64);
        }
    }
}

/// One of four processes runs in a step, and one of them has the only thread: a chain of 1000
/// instructions takes a negative binomial time of mean 4000 and variance 12 000. The mean of 64
/// runs is off by more than six standard deviations once in 10⁸ seeds, and the seed is fixed.
#[test]
fn a_chain_waits_for_its_process() {
    let times = (0..64).map(|number| run("chain:1000", 4, "few:1", Yield::None, number).time);
    let mean = times.sum::<u64>() as f64 / 64.0;
    assert!(
        (mean - 4000.0).abs() < 6.0 * (12_000.0f64 / 64.0).sqrt(),
        "{mean}"
    );
}

/// Without yields nothing ever happens under `starve`: no instruction, no steal.
#[test]
fn an_adaptive_kernel_stops_thieves_that_do_not_yield() {
    for processes in [2, 3, 16] {
        let found = run("fib:12", processes, "starve", Yield::None, 0);
        assert_eq!((found.done, found.work, found.steals), (false, 0, 0));
        // All thieves try in every step.
        assert_eq!(found.attempts, 100_000 * (processes as u64 - 1));
    }
}

/// With a yield to all, `starve` runs all thieves of a chain in one step and has to run the process
/// with the thread in the next: N instructions take 2N steps, and P_A = P/2.
#[test]
fn yields_to_all_set_the_work_free() {
    for processes in [2, 3, 9] {
        let found = run("chain:50", processes, "starve", Yield::All, 0);
        assert!(found.done);
        assert_eq!((found.time, found.work), (100, 50));
        assert_eq!(found.scheduled, 50 * processes as u64);
    }
    // With two processes a random other is the only other.
    assert_eq!(run("chain:50", 2, "starve", Yield::Random, 0).time, 100);
}

/// Four processes take turns of ten steps, the one with the chain last.
#[test]
fn an_oblivious_kernel_lets_the_work_wait() {
    let alone = run("chain:25", 4, "rotate:1:10", Yield::None, 0);
    // Three turns of others before each of the first two turns of ten and the third of five.
    assert_eq!(alone.time, 3 * 30 + 10 + 10 + 5);
    let yielding = run("chain:25", 4, "rotate:1:10", Yield::Random, 0);
    assert!(yielding.time < alone.time, "{}", yielding.time);
}

/// What one process costs under each kernel: every instruction is executed once, and a process that
/// is scheduled works or tries to steal.
#[test]
fn every_slot_is_accounted_for() {
    for kernel in ["few:3", "bursts:2:5", "rotate:2:3", "starve"] {
        for yields in [Yield::Random, Yield::All] {
            let found = run("fib:11", 5, kernel, yields, 1);
            assert!(found.done, "{kernel} {yields}");
            assert_eq!(
                found.work,
                "fib:11".parse::<Family>().unwrap().measures().work
            );
            assert_eq!(
                found.scheduled,
                found.work + found.attempts,
                "{kernel} {yields}"
            );
            assert_eq!(
                found,
                run("fib:11", 5, kernel, yields, 1),
                "{kernel} {yields}"
            );
        }
    }
}

/// A kernel of a user's own: it schedules the last process alone, and sees nothing.
struct Last;

impl Kernel for Last {
    fn adversity(&self) -> Adversity {
        Adversity::Oblivious
    }

    fn choose(&mut self, sight: &KernelSight<'_>, _: &mut Stream, chosen: &mut Vec<usize>) {
        assert!(sight.working.is_none() && sight.ready.is_none());
        chosen.push(sight.processes - 1);
    }
}

#[test]
fn a_kernel_of_ones_own() {
    let machine = |yields| Multiprogrammed {
        processes: 2,
        yields,
        most_steps: 1000,
    };
    let with = |yields| {
        computation("chain:50").visit(OnKernel {
            machine: machine(yields),
            kernel: &mut Last,
            run: 0,
        })
    };
    assert!(!with(Yield::None).done);
    // The thief and, in its place, the process that it waits for.
    assert_eq!(with(Yield::Random).time, 100);
}

#[test]
fn names_are_read_and_printed() {
    for name in ["few:3", "bursts:4:1", "rotate:2:9", "starve"] {
        assert_eq!(name.parse::<KernelName>().unwrap().to_string(), name);
    }
    let says = |name: &str| name.parse::<KernelName>().unwrap_err();
    assert_eq!(
        says("best"),
        "unknown kernel 'best': use one of few:K, bursts:A:B, rotate:K:L, starve"
    );
    assert_eq!(
        says("few"),
        "'few' is not of the form few:K: use whole numbers from 1"
    );
    assert!(says("few:0").contains("whole numbers from 1") && says("starve:1").contains("starve"));
}
