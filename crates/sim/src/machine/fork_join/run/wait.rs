//! What a worker does while its newest frame waits for stolen children.

use filch_random::Stream;
use filch_workload::dag::{ThreadId, Unfold};

use super::ForkJoinRun;
use crate::machine::fork_join::rule::{NEAR, Reach, Rule, WayBack};
use crate::machine::observe::{Event, Observer};

impl<U: Unfold, O: Observer> ForkJoinRun<'_, U, O> {
    /// The newest frame of the worker in seat `at` waits for stolen children. Returns whether that
    /// takes a processor.
    pub(super) fn wait(&mut self, at: usize, since: u64, asking: &mut Stream) -> bool {
        let (now, costs) = (self.totals.time, self.machine.costs);
        let worker = self.seating.seats[at].worker;
        let sleeps = now - since > costs.patience;
        let delay = if sleeps { costs.wake } else { 0 };
        let top = self.seating.worker(at).top().expect("a frame that waits");
        if self.computation.is_ready(top) {
            self.seating.sit(at, worker, now + delay);
            return self.act(at, asking);
        }
        let is_awaited = |child| self.computation.is_awaited(child);
        let found = match self.machine.rule {
            Rule::HelpAny => {
                let found = self.ask(at, asking);
                if found.is_none() {
                    return true;
                }
                found
            }
            Rule::Leapfrog(Reach::Near) => {
                let victim = self.tasks.near(&self.seating, worker, NEAR, &is_awaited);
                self.help(at, victim)
            }
            Rule::Leapfrog(Reach::Whole) | Rule::HandOver(_) => {
                let victim = self.tasks.below(&self.seating, worker, is_awaited);
                self.help(at, victim)
            }
        };
        if let Some(task) = found {
            self.begin_stolen(at, task, delay);
            return true;
        }
        self.note_stranded(at);
        if let Rule::HandOver(back) = self.machine.rule {
            if back == WayBack::Own && self.gives_back(at) {
                return false;
            }
            if now - since >= costs.patience && self.tasks.any() && self.hand_over(at) {
                return false;
            }
        }
        self.totals.wait += u64::from(!sleeps);
        let waits = if sleeps {
            Event::Idled { processor: at }
        } else {
            Event::Waited { thief: at }
        };
        self.tell(waits);
        !sleeps
    }

    /// The worker in seat `at` waits in vain.
    fn note_stranded(&mut self, at: usize) {
        let (now, any) = (self.totals.time, self.tasks.any());
        let since = &mut self.seating.seats[at].stranded_since;
        *since = any.then(|| since.unwrap_or(now));
        if let Some(since) = *since {
            self.stacks.stranded += 1;
            self.stacks.longest_stranded = self.stacks.longest_stranded.max(now - since + 1);
        }
    }

    /// Hands seat `at` to a spare worker, if there may be one.
    fn hand_over(&mut self, at: usize) -> bool {
        let costs = self.machine.costs;
        let Some((spare, is_new)) = self.seating.spare() else {
            return false;
        };
        self.stacks.hand_overs += 1;
        let start = if is_new { costs.start } else { 0 };
        self.reseat(at, spare, costs.wake + start);
        true
    }

    /// A steal attempt at the deque that has something below the frame that waits.
    fn help(&mut self, thief: usize, victim: Option<usize>) -> Option<ThreadId> {
        victim.and_then(|victim| self.attempt(thief, victim))
    }
}
