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
//!
//! A second program, *inline*, has two writes less: a slot holds the function and the one capture
//! themselves, and the function is null where there is no job, so that there is no `bottom`. No
//! deque for closures of any size can do that; it bounds what fewer writes would gain.

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

/// A deque without `bottom`, whose slots hold the halves themselves.
struct InlineSlots {
    halves: Box<[Half]>,
    limit: AtomicUsize,
    guard: AtomicUsize,
}

impl InlineSlots {
    fn new() -> Self {
        let half = || Half {
            run: AtomicPtr::default(),
            node: AtomicPtr::default(),
        };
        Self {
            halves: (0..256).map(|_| half()).collect(),
            limit: AtomicUsize::new(256),
            guard: AtomicUsize::new(0),
        }
    }
}

/// The same with three writes: the capture, the function, and null in its place.
fn inline(deque: &InlineSlots, depth: usize, node: &Node) -> u64 {
    let half = &deque.halves[depth % 256];
    half.node
        .store(ptr::from_ref(node).cast_mut(), Ordering::Relaxed);
    half.run.store(inline as *mut (), Ordering::Release);
    compiler_fence(Ordering::SeqCst);
    if deque.limit.load(Ordering::Relaxed) <= depth {
        return slow(half);
    }
    let child = |child: &Node| inline(deque, depth + 1, child);
    let left = node.left.as_deref().map(child).unwrap_or_default();
    half.run.store(ptr::null_mut(), Ordering::Release);
    compiler_fence(Ordering::SeqCst);
    if deque.guard.load(Ordering::Relaxed) > depth {
        return slow(half);
    }
    let child = |child: &Node| inline(deque, depth, child);
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

/// Nanoseconds for each node: the least and the median of many rounds, in which all take turns.
fn main() -> io::Result<()> {
    let (tree, deque, slots) = (Node::complete(16), Bottom::new(), InlineSlots::new());
    let nodes = serial(&tree);
    let programs: [(&str, &dyn Fn() -> u64); 3] = [
        ("serial", &|| serial(black_box(&tree))),
        ("visible", &|| {
            visible(black_box(&deque), 0, black_box(&tree))
        }),
        ("inline", &|| inline(black_box(&slots), 0, black_box(&tree))),
    ];
    let mut times = [(); 3].map(|()| Vec::new());
    for _ in 0..4000 {
        for ((_, program), times) in programs.iter().zip(&mut times) {
            let start = Instant::now();
            assert_eq!(program(), nodes);
            times.push(start.elapsed().as_nanos() as f64 / nodes as f64);
        }
    }
    let [serial, visible, inline] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        (times[0], times[times.len() / 2])
    });
    let mut out = io::stdout();
    for ((name, _), (least, median)) in programs.iter().zip([serial, visible, inline]) {
        writeln!(
            out,
            "{name}: {least:.2} / {median:.2} ns per node, {:.2} / {:.2} of serial",
            least / serial.0,
            median / serial.1
        )?;
    }
    Ok(())
}
