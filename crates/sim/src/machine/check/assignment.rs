//! ABP01, vertex assignment and the two cases of the decreasing potential.
//!
//! A vertex in a deque that is assigned in a round loses 2/3 of its potential. A vertex that is
//! executed loses at least 1/3 of it to the vertices that it enables. So 3·Φ_{i+1} is at most
//! 3·φ_i over the vertices that stay in deques, 1·φ_i over those that are assigned, and 2·φ_i over
//! those that are executed.

use super::round::{Round, at_most};
use super::{Books, Broken, Invariant, MachineView};

#[derive(Default)]
pub(super) struct Assignment {
    last: Option<Round>,
}

impl Invariant for Assignment {
    fn name(&self) -> &'static str {
        "the lemma on vertex assignment (ABP01)"
    }

    fn begins(&mut self, view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let now = Round::of(view, books.enabling());
        let Some(last) = self.last.replace(now) else {
            return Ok(());
        };
        let now = self.last.as_ref().expect("put there above");
        // A thread has one ready vertex, and a vertex in a deque is not executed in the round in
        // which it is assigned: the thread names the vertex in both rounds.
        let assigned: Vec<(usize, u64)> = sorted(now.assigned());
        let deques: Vec<(usize, u64)> = sorted(now.in_deques());
        let find = |list: &[(usize, u64)], thread: usize| {
            let at = list.binary_search_by_key(&thread, |&(thread, _)| thread);
            at.ok().map(|at| list[at].1)
        };
        let mut allowed = Vec::new();
        for (thread, before) in last.in_deques() {
            if find(&deques, thread.index()) == Some(before) {
                allowed.push((before, 3));
            } else if find(&assigned, thread.index()).is_some_and(|after| after + 1 == before) {
                allowed.push((before, 1));
            } else {
                let name = books.ledger.name(thread);
                return Err(Broken::somewhere(format!(
                    "the vertex of {name} was in a deque, and is neither there nor assigned with a \
                     third of its potential"
                )));
            }
        }
        allowed.extend(last.assigned().map(|(_, before)| (before, 2)));
        if at_most(now.times(3), allowed.into_iter()) {
            Ok(())
        } else {
            let what = "assigned vertices lost less than 2/3, or executed ones less than 1/3";
            Err(Broken::somewhere(what))
        }
    }
}

fn sorted(vertices: impl Iterator<Item = (super::ThreadId, u64)>) -> Vec<(usize, u64)> {
    let mut vertices: Vec<_> = vertices
        .map(|(thread, exponent)| (thread.index(), exponent))
        .collect();
    vertices.sort_unstable();
    vertices
}
