//! What P steal attempts take of the potential, from a given round on.

use filch_workload::dag::ThreadId;

use super::enabling::Enabling;
use super::observe::{Event, MachineView, Observer};
use super::outcome::MachineOutcome;
use super::powers::Powers;
use super::violation::Violation;
use super::worker::{potential, total_potential};

/// Watches a run of ABP01's machine from the beginning of round i to that of the first round j by
/// which P attempts have been made. If the run ends before, the potential is 0, whatever attempts
/// would follow.
#[derive(Clone, Debug)]
pub struct PotentialLoss {
    tree: Enabling,
    round: u64,
    attempts: u64,
    start: Option<Start>,
    /// Whether Φ_i − Φ_j ≥ ¼·Φ_i(D_i): the lemma on P steal attempts.
    pub of_deques: Option<bool>,
    /// Whether Φ_j ≤ ¾·Φ_i: a phase that begins in round i is successful.
    pub of_all: Option<bool>,
}

#[derive(Clone, Debug)]
struct Start {
    all: Powers,
    /// Of the workers with vertices in their deques.
    deques: Powers,
}

impl PotentialLoss {
    /// From round `round` on, of a computation with this root and span.
    pub fn from(round: u64, root: ThreadId, span: u64) -> Self {
        Self {
            tree: Enabling::of(root, span),
            round,
            attempts: 0,
            start: None,
            of_deques: None,
            of_all: None,
        }
    }

    fn conclude(&mut self, now: &Powers) {
        let start = self.start.as_ref().expect("the round has begun");
        // 4·Φ_j + Φ_i(D_i) ≤ 4·Φ_i.
        let times = |powers: &Powers, factor: u64| -> Vec<(u64, u64)> {
            let terms = powers.terms().iter();
            terms
                .map(|&(exponent, count)| (exponent, factor * count))
                .collect()
        };
        let left = times(now, 4).into_iter().chain(times(&start.deques, 1));
        let left = Powers::multiples(left);
        self.of_deques = Some(left.compare(1, &start.all, 4).is_le());
        self.of_all = Some(now.compare(4, &start.all, 3).is_le());
    }
}

impl Observer for PotentialLoss {
    fn begins(&mut self, view: &MachineView<'_>) -> Result<(), Violation> {
        if view.step == self.round {
            let workers = 0..view.hands.len();
            let deques = workers.filter(|&worker| !view.deques[worker].is_empty());
            let held = deques.map(|worker| potential(view, worker, &self.tree));
            let terms = held.flat_map(|powers| powers.terms().to_vec());
            self.start = Some(Start {
                all: total_potential(view, &self.tree),
                deques: Powers::multiples(terms),
            });
        } else if self.start.is_some()
            && self.of_all.is_none()
            && self.attempts >= view.hands.len() as u64
        {
            self.conclude(&total_potential(view, &self.tree));
        }
        Ok(())
    }

    fn happened(&mut self, event: &Event<'_>) {
        let counts = self.start.is_some() && matches!(event, Event::Asked { .. });
        self.attempts += u64::from(counts);
        self.tree.note(event);
    }

    fn finished(&mut self, _outcome: &MachineOutcome) -> Result<(), Violation> {
        if self.start.is_some() && self.of_all.is_none() {
            self.conclude(&Powers::default());
        }
        Ok(())
    }
}
