//! The forest of roots against a walk over all ancestors.

use core::ptr::{self, NonNull};

use filch_deque::{Position, deque};
use proptest::prelude::*;

use super::*;
use crate::sleep::Sleep;

const SEATS: usize = 3;

/// A root as the walk sees it.
struct Node {
    origin: Origin,
    seat: usize,
    /// Its place on the stack of that seat.
    index: usize,
    base: usize,
    /// Null if the job is below nothing.
    latch: *mut Latch,
    parent: Option<usize>,
    children: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Lives,
    /// Nothing asks for it any more, but its entry is as it was.
    Ended,
    /// Its entry has another root.
    Replaced,
}

/// The roots of all seats, those that have ended too.
struct Forest {
    seats: Seats,
    nodes: Vec<Node>,
    stacks: [Vec<usize>; SEATS],
    positions: Vec<Position>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// The thread of that seat begins with a job whose fork belongs to one of the live roots, or to
    /// none, when its deque has so many more items.
    Begin(usize, Option<prop::sample::Index>, usize),
    /// The same with a job that is below nothing.
    BeginWithoutRoot(usize),
    /// The thread of that seat ends its job, if all that this has forked has ended.
    End(usize),
}

impl Forest {
    fn new() -> Self {
        let sleep = Sleep::new(SEATS, 0, false);
        let (owner, _thief) = deque::<u64>();
        let positions = (0..1_000).map(|_| {
            let position = owner.position();
            let _ = owner.push(NonNull::dangling());
            position
        });
        Self {
            positions: positions.collect(),
            seats: Seats::new(SEATS, 0, sleep.tally()).0,
            nodes: Vec::new(),
            stacks: Default::default(),
        }
    }

    fn base_of(&self, seat: usize) -> usize {
        let innermost = self.stacks[seat].last();
        innermost.map_or(0, |&node| self.nodes[node].base)
    }

    fn begin(&mut self, seat: usize, parent: Option<usize>, latch: *mut Latch, more: usize) {
        let base = self.base_of(seat) + more;
        let lineage = &self.seats[seat].lineage;
        let forked_by = parent.map_or(Origin::NONE, |node| self.nodes[node].origin);
        lineage.push(latch, forked_by, self.positions[base], &self.seats);
        let origin = lineage.innermost(seat);
        assert_eq!(origin.is_none(), latch.is_null());
        if let Some(parent) = parent {
            self.nodes[parent].children += 1;
        }
        for node in self.nodes.iter_mut().filter(|node| node.seat == seat) {
            if node.state == State::Ended && node.index == self.stacks[seat].len() {
                node.state = State::Replaced;
            }
        }
        let index = self.stacks[seat].len();
        self.stacks[seat].push(self.nodes.len());
        self.nodes.push(Node {
            origin,
            seat,
            index,
            base,
            latch,
            parent,
            children: 0,
            state: State::Lives,
        });
    }

    /// Each job will set a latch of its own.
    fn new_latch(&self) -> *mut Latch {
        ptr::without_provenance_mut(8 * (self.nodes.len() + 1))
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::Begin(seat, parent, more) => {
                let is_root =
                    |node: &usize| self.nodes[*node].state == State::Lives && !self.is_bare(*node);
                let live: Vec<usize> = (0..self.nodes.len()).filter(is_root).collect();
                let parent = parent.filter(|_| !live.is_empty());
                let parent = parent.map(|chosen| live[chosen.index(live.len())]);
                self.begin(seat, parent, self.new_latch(), more);
            }
            Step::BeginWithoutRoot(seat) => self.begin(seat, None, ptr::null_mut(), 0),
            Step::End(seat) => {
                let last = self.stacks[seat].last().copied();
                if let Some(node) = last.filter(|&node| self.nodes[node].children == 0) {
                    self.stacks[seat].pop();
                    self.nodes[node].state = State::Ended;
                    if let Some(parent) = self.nodes[node].parent {
                        self.nodes[parent].children -= 1;
                    }
                    self.seats[seat].lineage.pop();
                }
            }
        }
    }

    fn is_bare(&self, node: usize) -> bool {
        self.nodes[node].latch.is_null()
    }

    /// The node and its ancestors, the nearest first. None if its entry has another root.
    fn ancestors(&self, node: usize) -> Vec<usize> {
        let is_there = self.nodes[node].state == State::Lives && !self.is_bare(node);
        let first = is_there.then_some(node);
        core::iter::successors(first, |&node| self.nodes[node].parent).collect()
    }

    fn check(&self) {
        let nodes = self.nodes.iter().enumerate();
        for (index, node) in nodes.filter(|(_, node)| node.state != State::Ended) {
            let above = self.ancestors(index);
            assert_eq!(generation(node.origin, &self.seats), above.len());
            let latches: Vec<_> = above.iter().map(|&node| self.nodes[node].latch).collect();
            assert!(latches_above(node.origin, &self.seats).eq(latches));
            for (other, target) in self.nodes.iter().enumerate() {
                for height in 1..=self.nodes.len() {
                    let is_there = above.len() >= height && above[above.len() - height] == other;
                    let found = is_below(node.origin, target.latch, height, &self.seats);
                    assert_eq!(found, is_there, "{index} below {other} at {height}");
                }
            }
        }
        for (seat, stack) in self.stacks.iter().enumerate() {
            for place in 1..=self.base_of(seat) + 2 {
                let covers = |&&node: &&usize| self.nodes[node].base < place;
                let owner = stack.iter().rev().find(covers);
                let expected = owner.map_or(Origin::NONE, |&node| self.nodes[node].origin);
                let lineage = &self.seats[seat].lineage;
                assert_eq!(lineage.origin_at(seat, self.positions[place]), expected);
            }
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let seat = || 0..SEATS;
    let parent = prop::option::weighted(0.9, any::<prop::sample::Index>());
    let step = prop_oneof![
        6 => (seat(), parent, 0_usize..3).prop_map(|(seat, parent, more)| Step::Begin(seat, parent, more)),
        1 => seat().prop_map(Step::BeginWithoutRoot),
        4 => seat().prop_map(Step::End),
    ];
    prop::collection::vec(step, 1..50)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Roots begin and end on several threads and their entries are used again. Every question has
    /// the answer of a walk over all ancestors, and what was in an entry that was used again is
    /// below nothing.
    #[test]
    fn random_forests_answer_as_a_walk_does(steps in steps()) {
        let mut forest = Forest::new();
        for step in steps {
            forest.apply(step);
        }
        forest.check();
    }
}

/// Along a list that goes round the threads, each of n ancestors is reached in at most
/// 3⌊lg(n + 1)⌋ − 2 steps, as in Myers.
#[test]
fn a_climb_takes_logarithmically_many_steps() {
    let mut forest = Forest::new();
    for node in 0..600_usize {
        let parent = node.checked_sub(1);
        forest.begin(node % SEATS, parent, forest.new_latch(), 1);
        let bound = 3 * (node + 2).ilog2() as usize - 2;
        let origin = forest.nodes[node].origin;
        for generation in 1..=node + 1 {
            let steps = climb(origin, generation, &forest.seats).skip(1).count();
            assert!(steps <= bound, "{steps} from {node} to {generation}");
            let latch = forest.nodes[generation - 1].latch;
            assert!(is_below(origin, latch, generation, &forest.seats));
        }
    }
}
