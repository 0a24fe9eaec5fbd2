//! BL99 section 1: which threads move while all processors have work.

use filch_sim::machine::{Event, Machine, MachineView, Observer, Scheduler, Violation};
use filch_workload::dag::{Executed, Family, ThreadId};

use crate::chapters::{Scale, Setting};
use crate::values::{Claim, Outcome};

const PROCESSORS: [usize; 3] = [2, 4, 8];
/// The number of new threads that sharing moves may be so many standard deviations from its mean:
/// chance exceeds this for one P in a million reports.
const WIDTH: f64 = 5.0;

fn families(scale: Scale) -> [&'static str; 3] {
    scale.pick(
        ["fib:12", "tree:6:3", "loop:100:10"],
        ["fib:15", "tree:9:5", "loop:300:20"],
        ["fib:18", "tree:11:5", "loop:1000:20"],
    )
}

fn runs(scale: Scale) -> usize {
    scale.pick(2, 5, 20)
}

pub(super) fn total(scale: Scale) -> usize {
    2 * PROCESSORS.len() * families(scale).len() * runs(scale)
}

/// Counts what moves in full steps: those in which every processor executes an instruction.
struct FullSteps {
    worked: usize,
    stolen: u64,
    /// The threads that were spawned in this step, and where.
    spawned: Vec<(usize, ThreadId)>,
    steps: u64,
    born: u64,
    moved: u64,
}

impl FullSteps {
    fn new() -> Self {
        Self {
            worked: 0,
            stolen: 0,
            spawned: Vec::new(),
            steps: 0,
            born: 0,
            moved: 0,
        }
    }
}

impl Observer for FullSteps {
    /// Ends the step before.
    fn begins(&mut self, view: &MachineView<'_>) -> Result<(), Violation> {
        if self.worked == view.hands.len() {
            self.steps += 1;
            self.moved += self.stolen;
            self.born += self.spawned.len() as u64;
            for &(processor, child) in &self.spawned {
                let stayed = view.hands[processor] == Some(child)
                    || view.deques[processor].from_bottom().any(|at| at == child);
                self.moved += u64::from(!stayed);
            }
        }
        (self.worked, self.stolen) = (0, 0);
        self.spawned.clear();
        Ok(())
    }

    fn happened(&mut self, event: &Event<'_>) {
        match *event {
            Event::Worked {
                processor,
                executed,
                ..
            } => {
                self.worked += 1;
                if let Executed::Spawns(child) = executed {
                    self.spawned.push((processor, child));
                }
            }
            Event::Served { thread, .. } => self.stolen += u64::from(thread.is_some()),
            _ => {}
        }
    }
}

/// Sums over all runs of one scheduler on so many processors: full steps, threads born, threads
/// moved.
fn sums(seen: &[(usize, [u64; 3])], key: usize) -> [u64; 3] {
    let mine = seen.iter().filter(|(at, _)| *at == key);
    mine.fold([0; 3], |sum, (_, run)| {
        [sum[0] + run[0], sum[1] + run[1], sum[2] + run[2]]
    })
}

pub(super) fn while_all_work(setting: &Setting<'_>) -> Claim {
    let families = families(setting.scale).map(|name| name.parse::<Family>().expect("a family"));
    let computations = families.map(|family| family.computation());
    let runs = runs(setting.scale);
    let schedulers = [Scheduler::Stealing, Scheduler::Sharing];
    let seen = setting.runs(total(setting.scale), |at| {
        let (at, run) = (at as usize / runs, at % runs as u64);
        let (key, computation) = (at / families.len(), &computations[at % families.len()]);
        let machine = Machine::new(
            schedulers[key / PROCESSORS.len()],
            PROCESSORS[key % PROCESSORS.len()],
        );
        let watched = machine.watched(computation, setting.seed, run, |_| FullSteps::new());
        let (_, full) = watched.expect("only counting");
        (key, [full.steps, full.born, full.moved])
    });
    let mut outcomes = Vec::new();
    let (mut steps, mut stolen) = (0, 0);
    let mut shares = Vec::new();
    for (at, processors) in PROCESSORS.into_iter().enumerate() {
        let [full, _, moved] = sums(&seen, at);
        steps += full;
        stolen += moved;
        outcomes.push(Outcome::if_decided((full > 0).then_some(moved == 0)));
        let [_, born, moved] = sums(&seen, PROCESSORS.len() + at);
        let (count, rate) = (born as f64, 1.0 - 1.0 / processors as f64);
        let off = (moved as f64 - count * rate).abs();
        let agrees = off <= WIDTH * (count * rate * (1.0 - rate)).sqrt();
        outcomes.push(Outcome::if_decided((born > 0).then_some(agrees)));
        shares.push(format!("{moved} of {born} at P = {processors}"));
    }
    Claim {
        claim: "while all processors have work, stealing moves no thread, and sharing goes on \
                moving new threads, here each with probability 1 − 1/P"
            .to_owned(),
        stated: "BL99, section 1",
        checked: format!(
            "stealing and sharing on {}, P = 2, 4, 8, {runs} runs each; the steps in which every \
             processor executes an instruction",
            families.map(|family| family.to_string()).join(", ")
        ),
        found: format!(
            "stealing moves {stolen} threads in {steps} such steps; sharing moves {}",
            shares.join(", ")
        ),
        measured: Some(stolen as f64),
        bound: Some(0.0),
        outcome: Outcome::of_all(outcomes),
    }
}
