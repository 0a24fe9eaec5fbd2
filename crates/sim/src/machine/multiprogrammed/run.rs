//! A run on a kernel.

use filch_policy::steal::Victim;
use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};
use rand::seq::index;

use super::super::deque::Deque;
use super::super::execution::Execution;
use super::super::observe::Unwatched;
use super::kernel::{Adversity, Kernel, KernelSight};
use super::yields::{Yield, Yielded};

/// P processes that steal work from one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiprogrammed {
    /// P, at least 1.
    pub processes: usize,
    /// What a thief does after a failed attempt.
    pub yields: Yield,
    /// The most steps; a run that takes more is given up.
    pub most_steps: u64,
}

/// What a run on a kernel comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiprogrammedOutcome {
    /// Steps, those in which no process ran included.
    pub time: u64,
    /// Σ p_i.
    pub scheduled: u64,
    /// Instructions executed.
    pub work: u64,
    /// Steal attempts.
    pub attempts: u64,
    /// Attempts that brought a thread.
    pub steals: u64,
    /// Whether the computation ended; if not, the run was given up.
    pub done: bool,
}

impl MultiprogrammedOutcome {
    /// P_A: how many processes ran in a step, on average.
    pub fn average(&self) -> f64 {
        self.scheduled as f64 / self.time.max(1) as f64
    }
}

impl Multiprogrammed {
    /// Runs a computation in which no instruction has more than two edges out, under `kernel`.
    /// `asking` chooses victims and the targets of yields, `scheduling` is the kernel's.
    pub fn run<U: Unfold>(
        &self,
        computation: U,
        kernel: &mut impl Kernel,
        asking: &mut Stream,
        scheduling: &mut Stream,
    ) -> MultiprogrammedOutcome {
        let mut unwatched = Unwatched;
        let (execution, hands) = Execution::begin(computation, &mut unwatched, self.processes);
        let mut run = KernelRun {
            machine: self,
            execution,
            hands,
            deques: vec![Deque::new(); self.processes],
            yielded: Yielded::of(self.processes),
            time: 0,
            scheduled: 0,
        };
        let mut chosen = Vec::new();
        while !run.execution.done && run.time < self.most_steps {
            run.time += 1;
            run.choose(kernel, scheduling, &mut chosen);
            run.act(&chosen, asking);
        }
        MultiprogrammedOutcome {
            time: run.time,
            scheduled: run.scheduled,
            work: run.execution.totals.work,
            attempts: run.execution.totals.steal,
            steals: run.execution.totals.steals,
            done: run.execution.done,
        }
    }
}

struct KernelRun<'a, U> {
    machine: &'a Multiprogrammed,
    execution: Execution<'a, U, Unwatched>,
    hands: Vec<Option<ThreadId>>,
    deques: Vec<Deque>,
    yielded: Yielded,
    time: u64,
    scheduled: u64,
}

impl<U: Unfold> KernelRun<'_, U> {
    /// The processes of this step: what the kernel chose, with processes that may not run replaced
    /// by those that they wait for.
    fn choose(&mut self, kernel: &mut impl Kernel, rng: &mut Stream, chosen: &mut Vec<usize>) {
        let processes = self.hands.len();
        chosen.clear();
        let adversity = kernel.adversity();
        let may_run = |process| self.yielded.awaited(process).is_none();
        let [working, ready] = match adversity {
            Adversity::Adaptive => [
                Some(
                    self.hands
                        .iter()
                        .map(Option::is_some)
                        .collect::<Vec<bool>>(),
                ),
                Some((0..processes).map(may_run).collect()),
            ],
            Adversity::Benign | Adversity::Oblivious => [None, None],
        };
        let sight = KernelSight {
            step: self.time,
            processes,
            working: working.as_deref(),
            ready: ready.as_deref(),
        };
        kernel.choose(&sight, rng, chosen);
        if adversity == Adversity::Benign {
            let count = chosen.len().min(processes);
            chosen.clear();
            chosen.extend(index::sample(rng, processes, count));
        }
        for process in &mut *chosen {
            // A process that is awaited may have yielded itself. A yield waits for a process that
            // ran before the step of the yield, so following them leads back in time and ends.
            for _ in 0..processes {
                match self.yielded.awaited(*process) {
                    Some(awaited) => *process = awaited,
                    None => break,
                }
            }
        }
        chosen.retain(|&process| may_run(process));
        chosen.sort_unstable();
        chosen.dedup();
        for &process in &*chosen {
            self.yielded.runs(process, self.time);
        }
        self.scheduled += chosen.len() as u64;
    }

    /// Each process of `chosen` executes an instruction, or makes an attempt: first all
    /// instructions, then all attempts, in the order of numbers.
    fn act(&mut self, chosen: &[usize], asking: &mut Stream) {
        let idle = |&&process: &&usize| self.hands[process].is_none();
        let thieves: Vec<usize> = chosen.iter().filter(idle).copied().collect();
        for &process in chosen {
            if let Some(thread) = self.hands[process] {
                self.work(process, thread);
            }
        }
        for thief in thieves {
            self.attempt(thief, asking);
        }
    }

    fn work(&mut self, process: usize, thread: ThreadId) {
        let deque = &mut self.deques[process];
        match self.execution.work(process, thread, deque) {
            Executed::Continues => deque.push_bottom(thread),
            Executed::Spawns(child) => {
                deque.push_bottom(child);
                deque.push_bottom(thread);
            }
            Executed::Stalls | Executed::Dies(_) => {}
        }
        self.hands[process] = deque.pop_bottom();
    }

    fn attempt(&mut self, thief: usize, asking: &mut Stream) {
        let processes = self.hands.len();
        self.execution.totals.steal += 1;
        let other = |asking: &mut Stream| Victim::UniformOther.choose(thief, processes, asking);
        // A process without others finds nothing.
        let thread = other(asking).and_then(|victim| {
            let thread = self.deques[victim].pop_top();
            self.execution.served(thief, victim, thread);
            thread
        });
        self.hands[thief] = thread;
        if thread.is_none() {
            let to = match self.machine.yields {
                Yield::None => return,
                Yield::Random => match other(asking) {
                    Some(other) => Some(other),
                    None => return,
                },
                Yield::All => None,
            };
            self.yielded.yields(thief, self.time, to);
        }
    }
}
