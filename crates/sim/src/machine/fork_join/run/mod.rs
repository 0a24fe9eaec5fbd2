//! A run, step by step.

mod reseat;
mod wait;

use filch_random::Stream;
use filch_workload::dag::{Executed, ThreadId, Unfold};

use super::ForkJoin;
use super::seat::Doing;
use super::seating::Seating;
use super::tasks::Tasks;
use crate::machine::observe::{Event, MachineView, Observer, tell_work};
use crate::machine::outcome::{MachineOutcome, Stacks};
use crate::machine::violation::Violation;

pub(super) struct ForkJoinRun<'a, U, O> {
    machine: &'a ForkJoin,
    computation: U,
    observer: &'a mut O,
    seating: Seating,
    tasks: Tasks,
    /// How many workers are ready and have no seat.
    seatless: u64,
    /// Where the next step begins, if there are more seats than processors.
    turn: usize,
    enabled: Vec<ThreadId>,
    totals: MachineOutcome,
    stacks: Stacks,
    /// The root has died.
    done: bool,
}

impl<'a, U: Unfold, O: Observer> ForkJoinRun<'a, U, O> {
    pub(super) fn new(machine: &'a ForkJoin, computation: U, observer: &'a mut O) -> Self {
        let root = computation.root();
        let mut run = Self {
            machine,
            computation,
            observer,
            seating: Seating::new(machine.processors, machine.workers),
            tasks: Tasks::default(),
            seatless: 0,
            turn: 0,
            enabled: Vec::new(),
            totals: MachineOutcome::default(),
            stacks: Stacks::default(),
            done: false,
        };
        for at in 0..machine.processors {
            run.tell(Event::Sat {
                processor: at,
                worker: at,
            });
        }
        run.tasks.forked(root, None);
        run.begin(0, root, true);
        run.seating.seats[0].doing = Doing::Works;
        run
    }

    pub(super) fn run(mut self, asking: &mut Stream) -> Result<MachineOutcome, Violation> {
        while !self.done {
            self.step(asking)?;
        }
        let [live, deepest] = self.tasks.peaks();
        let outcome = MachineOutcome {
            peak_space: live,
            stacks: Some(Stacks {
                deepest,
                workers: self.seating.workers.len() as u64,
                ..self.stacks
            }),
            ..self.totals
        };
        self.observer.finished(&outcome)?;
        Ok(outcome)
    }

    fn step(&mut self, asking: &mut Stream) -> Result<(), Violation> {
        self.totals.time += 1;
        self.show()?;
        let (processors, seats) = (self.machine.processors, self.seating.seats.len());
        self.stacks.seats = self.stacks.seats.max(self.seating.count() as u64);
        self.stacks.seatless += self.seatless;
        let mut used = 0;
        for turn in 0..seats {
            let at = (self.turn + turn) % seats;
            used += usize::from(self.act(at, asking));
            if self.done || used == processors {
                self.turn = if seats > processors { at + 1 } else { 0 };
                break;
            }
        }
        self.totals.idle += (processors - used) as u64;
        Ok(())
    }

    fn show(&mut self) -> Result<(), Violation> {
        if !O::WATCHES {
            return Ok(());
        }
        let step = self.totals.time;
        let hands = self.seating.seats.iter().map(|seat| {
            let works = seat.doing == Doing::Works && seat.until <= step;
            self.seating.workers[seat.worker].top().filter(|_| works)
        });
        self.observer.begins(&MachineView {
            step,
            hands: &hands.collect::<Vec<_>>(),
            deques: &self.seating.deques,
        })
    }

    /// The worker in seat `at` does what it does in this step. Returns whether that takes a
    /// processor: a worker that sleeps or is being woken needs none.
    fn act(&mut self, at: usize, asking: &mut Stream) -> bool {
        let seat = &mut self.seating.seats[at];
        if self.totals.time < seat.until {
            if seat.doing == Doing::Wakes {
                self.tell(Event::Idled { processor: at });
                return false;
            }
            self.totals.wait += 1;
            self.tell(Event::Waited { thief: at });
            return true;
        }
        if seat.doing == Doing::Wakes {
            self.resume(at);
        }
        let doing = self.seating.seats[at].doing;
        match doing {
            Doing::Works => self.work(at),
            Doing::Seeks if self.stands_up(at) => return false,
            Doing::Seeks => self.seek(at, asking),
            Doing::Waits { since } => return self.wait(at, since, asking),
            Doing::Wakes | Doing::Vacant => return false,
        }
        true
    }

    /// One instruction of the newest frame.
    fn work(&mut self, at: usize) {
        let worker = self.seating.seats[at].worker;
        let top = self.seating.worker(at).top().expect("a frame to work on");
        self.enabled.clear();
        let executed = self.computation.execute(top, &mut self.enabled);
        self.totals.work += 1;
        tell_work(
            self.observer,
            &self.computation,
            at,
            top,
            executed,
            &self.enabled,
        );
        match executed {
            Executed::Continues => {}
            Executed::Spawns(child) => {
                self.tasks.forked(child, Some(top));
                self.tasks.push(&mut self.seating, at, child);
            }
            Executed::Stalls => self.resume(at),
            Executed::Dies(parent) => {
                let size = self.computation.frame(top);
                let was_stolen = self.tasks.end(&mut self.seating, at, size);
                self.done = parent.is_none();
                self.totals.communication += u64::from(was_stolen && parent.is_some());
                if was_stolen && let Some(enabled) = self.enabled.pop() {
                    self.wake(enabled, at);
                }
                if self.seating.seats[at].worker == worker {
                    self.resume(at);
                }
            }
        }
    }

    /// What the worker in seat `at` does next: it goes on with its newest frame, begins a child of
    /// that frame, waits for stolen children, or steals.
    fn resume(&mut self, at: usize) {
        let doing = match self.seating.worker(at).top() {
            None => Doing::Seeks,
            Some(top) if self.computation.is_ready(top) => Doing::Works,
            Some(_) => match self.tasks.pop(&mut self.seating, at) {
                Some(child) => {
                    self.begin(at, child, false);
                    Doing::Works
                }
                None => Doing::Waits {
                    since: self.totals.time,
                },
            },
        };
        self.seating.seats[at].doing = doing;
    }

    /// A steal attempt of a worker without frames.
    fn seek(&mut self, at: usize, asking: &mut Stream) {
        if let Some(task) = self.ask(at, asking) {
            self.begin_stolen(at, task, 0);
        }
    }

    /// A steal attempt at a random deque.
    fn ask(&mut self, thief: usize, asking: &mut Stream) -> Option<ThreadId> {
        let seats = self.seating.seats.len();
        let victim = self.machine.victim.choose(thief, seats, asking);
        self.attempt(thief, victim.unwrap_or(thief))
    }

    fn attempt(&mut self, thief: usize, victim: usize) -> Option<ThreadId> {
        let thread = self.tasks.steal(&mut self.seating, victim);
        self.totals.steal += 1;
        self.totals.steals += u64::from(thread.is_some());
        self.tell(Event::Asked { thief, victim });
        self.tell(Event::Served {
            thief,
            victim,
            thread,
        });
        thread
    }

    fn begin_stolen(&mut self, at: usize, task: ThreadId, delay: u64) {
        self.totals.communication += self.computation.frame(task);
        self.begin(at, task, true);
        let seat = &mut self.seating.seats[at];
        seat.doing = Doing::Works;
        seat.stranded_since = None;
        seat.until = self.totals.time + self.machine.costs.attempt + delay;
    }

    fn begin(&mut self, at: usize, task: ThreadId, is_stolen: bool) {
        let frame = self.computation.frame(task);
        self.tasks
            .begin(&mut self.seating, at, task, frame, is_stolen);
        self.tell(Event::Began {
            processor: at,
            thread: task,
            frame,
        });
    }

    fn tell(&mut self, event: Event<'_>) {
        if O::WATCHES {
            self.observer.happened(&event);
        }
    }
}
