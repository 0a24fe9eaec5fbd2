//! What the sum over a tree of 65,535 boxes costs at least, if every fork can be stolen at once.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin fork_floor
//! ```
//!
//! There are no thieves here, no panics, no results from other threads and no thread-local pointer:
//! only the writes and comparisons without which a thief could not take the second half of a join.
//! The job is written to memory (its function and what it captures), its address into a slot, and
//! `bottom` is raised; the limit is compared. Afterwards `bottom` is lowered and the guard is
//! compared. That is the fast path of `filch-deque` with all addresses in registers.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, compiler_fence};
use std::time::Instant;

struct Node {
    value: u64,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

impl Node {
    /// A complete tree of so many layers, at least one.
    fn complete(layers: u32) -> Self {
        let child = || (layers > 1).then(|| Box::new(Self::complete(layers - 1)));
        Self {
            value: 1,
            left: child(),
            right: child(),
        }
    }
}

/// The serial program.
fn serial(node: &Node) -> u64 {
    let left = node.left.as_deref().map(serial).unwrap_or_default();
    let right = node.right.as_deref().map(serial).unwrap_or_default();
    node.value + left + right
}

/// The second half of a join, as a thief would find it.
struct Half {
    run: AtomicPtr<()>,
    node: AtomicPtr<Node>,
}

/// The owner's side of a deque.
struct Bottom {
    slots: Box<[AtomicPtr<Half>]>,
    bottom: AtomicUsize,
    limit: AtomicUsize,
    guard: AtomicUsize,
}

impl Bottom {
    fn new() -> Self {
        let slots: Box<[_]> = (0..256).map(|_| AtomicPtr::default()).collect();
        Self {
            limit: AtomicUsize::new(slots.len()),
            slots,
            bottom: AtomicUsize::new(0),
            guard: AtomicUsize::new(0),
        }
    }
}

/// The program whose forks are visible at once. `depth` is the index of the next slot.
fn visible(deque: &Bottom, depth: usize, node: &Node) -> u64 {
    let half = Half {
        run: AtomicPtr::new(visible as *mut ()),
        node: AtomicPtr::new(ptr::from_ref(node).cast_mut()),
    };
    // Ordering: as in `filch-deque`, where thieves would read these.
    deque.slots[depth % 256].store(ptr::from_ref(&half).cast_mut(), Ordering::Relaxed);
    deque.bottom.store(depth + 1, Ordering::Release);
    compiler_fence(Ordering::SeqCst);
    if deque.limit.load(Ordering::Relaxed) <= depth {
        return slow(&half);
    }
    let child = |child: &Node| visible(deque, depth + 1, child);
    let left = node.left.as_deref().map(child).unwrap_or_default();
    deque.bottom.store(depth, Ordering::Release);
    compiler_fence(Ordering::SeqCst);
    if deque.guard.load(Ordering::Relaxed) > depth {
        return slow(&half);
    }
    let child = |child: &Node| visible(deque, depth, child);
    let right = node.right.as_deref().map(child).unwrap_or_default();
    node.value + left + right
}

#[cold]
#[inline(never)]
fn slow(half: &Half) -> u64 {
    assert!(
        half.run.load(Ordering::Relaxed).is_null() || half.node.load(Ordering::Relaxed).is_null()
    );
    0
}

/// Nanoseconds for each node: the least and the median of many rounds, in which both take turns.
fn main() -> io::Result<()> {
    let (tree, deque) = (Node::complete(16), Bottom::new());
    let nodes = serial(&tree);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..4000 {
        let start = Instant::now();
        assert_eq!(serial(black_box(&tree)), nodes);
        let middle = Instant::now();
        assert_eq!(visible(black_box(&deque), 0, black_box(&tree)), nodes);
        times[0].push((middle - start).as_nanos() as f64 / nodes as f64);
        times[1].push(middle.elapsed().as_nanos() as f64 / nodes as f64);
    }
    let [serial, visible] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        (times[0], times[times.len() / 2])
    });
    let mut out = io::stdout();
    writeln!(
        out,
        "serial:  {:.2} / {:.2} ns per node",
        serial.0, serial.1
    )?;
    writeln!(
        out,
        "visible: {:.2} / {:.2} ns per node, {:.2} / {:.2} of serial",
        visible.0,
        visible.1,
        visible.0 / serial.0,
        visible.1 / serial.1
    )
}
