//! Random fully strict computations do on a pool what they do serially: the same values, the same
//! panics, every effect once, and in the order that strictness defines.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{compute_for, finishes, panic_with, pool};
use filch::{Pool, join, scope};
use proptest::prelude::*;

/// A piece of a computation, with its number in the log of effects.
#[derive(Clone, Debug)]
struct Node {
    number: usize,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    Value(u64),
    Panic,
    /// One after the other.
    Serial(Vec<Node>),
    Join(Box<(Node, Node)>),
    /// All spawned by the scope's closure.
    Scope(Vec<Node>),
    /// Each spawned by the one before it, into the same scope.
    Chain(Vec<Node>),
}

fn shapes(with_panics: bool) -> impl Strategy<Value = Node> {
    let panics = u32::from(with_panics);
    let leaf = prop_oneof![
        20 => any::<u64>().prop_map(Shape::Value),
        panics => Just(Shape::Panic),
    ];
    let node = |shape| Node { number: 0, shape };
    let tree = leaf.prop_map(node).prop_recursive(8, 200, 5, move |inner| {
        let several = || prop::collection::vec(inner.clone(), 0..5);
        prop_oneof![
            several().prop_map(Shape::Serial),
            (inner.clone(), inner.clone()).prop_map(|pair| Shape::Join(Box::new(pair))),
            several().prop_map(Shape::Scope),
            several().prop_map(Shape::Chain),
        ]
        .prop_map(node)
    });
    tree.prop_map(|mut tree| {
        let mut next = 0;
        tree.give_numbers(&mut next);
        tree
    })
}

impl Node {
    fn children(&self) -> Vec<&Self> {
        match &self.shape {
            Shape::Value(_) | Shape::Panic => Vec::new(),
            Shape::Join(pair) => vec![&pair.0, &pair.1],
            Shape::Serial(nodes) | Shape::Scope(nodes) | Shape::Chain(nodes) => {
                nodes.iter().collect()
            }
        }
    }

    fn give_numbers(&mut self, next: &mut usize) {
        self.number = *next;
        *next += 1;
        match &mut self.shape {
            Shape::Value(_) | Shape::Panic => {}
            Shape::Join(pair) => {
                pair.0.give_numbers(next);
                pair.1.give_numbers(next);
            }
            Shape::Serial(nodes) | Shape::Scope(nodes) | Shape::Chain(nodes) => {
                nodes.iter_mut().for_each(|node| node.give_numbers(next));
            }
        }
    }

    fn size(&self) -> usize {
        1 + self.children().into_iter().map(Self::size).sum::<usize>()
    }

    /// The value of a node from those of its children, which depends on their order.
    fn combine(&self, values: impl IntoIterator<Item = u64>) -> u64 {
        let mix = |sum: u64, value: u64| {
            (sum ^ value)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(23)
        };
        values.into_iter().fold(self.number as u64, mix)
    }

    /// The serial run: the value, or `None` if it panics. Records which nodes begin.
    fn serial(&self, begun: &mut [bool]) -> Option<u64> {
        begun[self.number] = true;
        match &self.shape {
            Shape::Value(value) => Some(*value),
            Shape::Panic => None,
            Shape::Serial(nodes) => {
                let values: Option<Vec<_>> = nodes.iter().map(|node| node.serial(begun)).collect();
                values.map(|values| self.combine(values))
            }
            // All children are run, even if some panic.
            _ => {
                let values: Vec<_> = self
                    .children()
                    .into_iter()
                    .map(|node| node.serial(begun))
                    .collect();
                let values: Option<Vec<_>> = values.into_iter().collect();
                values.map(|values| self.combine(values))
            }
        }
    }

    /// The run on the pool of the current worker.
    fn parallel(&self, log: &Log) -> u64 {
        log.begin(self.number);
        let _end = End {
            log,
            number: self.number,
        };
        match &self.shape {
            Shape::Value(value) => {
                compute_for(Duration::from_micros(value % 8));
                *value
            }
            Shape::Panic => panic_with(self.number),
            Shape::Serial(nodes) => {
                let values: Vec<_> = nodes.iter().map(|node| node.parallel(log)).collect();
                self.combine(values)
            }
            Shape::Join(pair) => {
                let (a, b) = join(|| pair.0.parallel(log), || pair.1.parallel(log));
                self.combine([a, b])
            }
            Shape::Scope(nodes) => {
                let mut values = vec![0; nodes.len()];
                scope(|s| {
                    for (node, value) in nodes.iter().zip(&mut values) {
                        s.spawn(move |_| *value = node.parallel(log));
                    }
                });
                self.combine(values)
            }
            Shape::Chain(nodes) => {
                let mut values = vec![0; nodes.len()];
                scope(|s| spawn_chain(s, nodes, &mut values, log));
                self.combine(values)
            }
        }
    }
}

fn spawn_chain<'scope>(
    s: &filch::Scope<'scope>,
    nodes: &'scope [Node],
    values: &'scope mut [u64],
    log: &'scope Log,
) {
    if let (Some((node, nodes)), Some((value, values))) =
        (nodes.split_first(), values.split_first_mut())
    {
        s.spawn(move |s| {
            spawn_chain(s, nodes, values, log);
            *value = node.parallel(log);
        });
    }
}

/// When each node began and ended, in steps of one common counter; 0 is never.
struct Log {
    steps: AtomicUsize,
    begun: Vec<AtomicUsize>,
    ended: Vec<AtomicUsize>,
}

impl Log {
    fn of(nodes: usize) -> Self {
        let never = || (0..nodes).map(|_| AtomicUsize::new(0)).collect();
        Self {
            steps: AtomicUsize::new(1),
            begun: never(),
            ended: never(),
        }
    }

    fn note(&self, when: &AtomicUsize) {
        let before = when.swap(self.steps.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
        assert_eq!(before, 0, "a node was run twice");
    }

    fn begin(&self, number: usize) {
        self.note(&self.begun[number]);
    }

    /// The first and the last step of a node.
    fn span(&self, node: &Node) -> (usize, usize) {
        let step = |when: &[AtomicUsize]| when[node.number].load(Ordering::SeqCst);
        (step(&self.begun), step(&self.ended))
    }

    /// Every step of a child lies within its parent, and serial children follow each other.
    fn check_order(&self, node: &Node) {
        let (begun, ended) = self.span(node);
        if begun == 0 {
            return;
        }
        assert!(begun < ended, "a node did not end");
        let mut previous = begun;
        for child in node.children() {
            let (child_begun, child_ended) = self.span(child);
            if child_begun > 0 {
                assert!(
                    begun < child_begun && child_ended < ended,
                    "a child outlives its parent"
                );
            }
            if matches!(node.shape, Shape::Serial(_)) && child_begun > 0 {
                assert!(previous < child_begun, "serial children overlap");
                previous = child_ended;
            }
            self.check_order(child);
        }
    }
}

/// Records the end of a node, by a return or by a panic.
struct End<'a> {
    log: &'a Log,
    number: usize,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.log.note(&self.log.ended[self.number]);
    }
}

fn check(program: &Node, pools: &[Pool]) {
    let mut begun = vec![false; program.size()];
    let expected = program.serial(&mut begun);
    for pool in pools {
        let log = Log::of(program.size());
        let run = || pool.install(|| program.parallel(&log));
        let value = catch_unwind(AssertUnwindSafe(run)).ok();
        assert_eq!(value, expected);
        let ran: Vec<_> = log
            .begun
            .iter()
            .map(|when| when.load(Ordering::SeqCst) > 0)
            .collect();
        assert_eq!(ran, begun, "other nodes were run than serially");
        log.check_order(program);
    }
}

fn pools() -> &'static [Pool] {
    static POOLS: OnceLock<[Pool; 3]> = OnceLock::new();
    POOLS.get_or_init(|| [1, 2, 4].map(pool))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_do_what_they_do_serially(program in shapes(false)) {
        finishes(move || check(&program, pools()));
    }

    #[test]
    fn programs_that_panic_do_what_they_do_serially(program in shapes(true)) {
        finishes(move || check(&program, pools()));
    }
}
