//! Work sequences and potentials of ABP01's workers.

use filch_workload::dag::ThreadId;

use super::enabling::Enabling;
use super::observe::MachineView;
use super::powers::Powers;

/// The assigned vertex of a worker, then its deque from bottom to top.
pub(super) fn work_sequence(
    view: &MachineView<'_>,
    worker: usize,
) -> impl Iterator<Item = ThreadId> {
    let deque = view.deques[worker].from_bottom();
    view.hands[worker].into_iter().chain(deque)
}

/// φ(v) as a power of three: 2w − 1 if the vertex is assigned, otherwise 2w. Nothing for a vertex
/// that is deeper than the span, which another check complains about.
pub(super) fn exponent(tree: &Enabling, thread: ThreadId, assigned: bool) -> Option<u64> {
    let weight = tree.weight(thread)?;
    Some(2 * weight - u64::from(assigned))
}

/// Φ(q): the potential of one worker.
pub(super) fn potential(view: &MachineView<'_>, worker: usize, tree: &Enabling) -> Powers {
    exponents(view, worker, tree).collect()
}

/// Φ: the potential of all workers together.
pub(super) fn total_potential(view: &MachineView<'_>, tree: &Enabling) -> Powers {
    (0..view.hands.len())
        .flat_map(|worker| exponents(view, worker, tree))
        .collect()
}

fn exponents(view: &MachineView<'_>, worker: usize, tree: &Enabling) -> impl Iterator<Item = u64> {
    let assigned = view.hands[worker].map(|thread| (thread, true));
    let deque = view.deques[worker]
        .from_bottom()
        .map(|thread| (thread, false));
    assigned
        .into_iter()
        .chain(deque)
        .filter_map(|(thread, assigned)| exponent(tree, thread, assigned))
}
