use super::{Origin, Root};
use crate::latch::Latch;
use crate::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering, fence};

/// Where a worker keeps a root, and later another. Other workers read it meanwhile: a seqlock,
/// whose versions never repeat.
#[derive(Default)]
pub(crate) struct Entry {
    /// Zero while the entry is written.
    version: AtomicU64,
    latch: AtomicPtr<Latch>,
    base: AtomicUsize,
    generation: AtomicUsize,
    parent: Link,
    jump: Link,
}

/// An [`Origin`] that another worker may read.
#[derive(Default)]
struct Link {
    place: AtomicU64,
    version: AtomicU64,
}

impl Entry {
    /// By the worker that has the entry.
    pub(crate) fn write(&self, root: Root, base: usize, version: u64) {
        // Ordering: Relaxed stores between the two of the version, which a reader compares. The
        // fence keeps them behind the first: it pairs with the one in `read`.
        self.version.store(0, Ordering::Relaxed);
        fence(Ordering::Release);
        self.latch.store(root.latch, Ordering::Relaxed);
        self.base.store(base, Ordering::Relaxed);
        self.generation.store(root.generation, Ordering::Relaxed);
        self.parent.store(root.parent);
        self.jump.store(root.jump);
        // Ordering: Release pairs with the Acquire load in `read`.
        self.version.store(version, Ordering::Release);
    }

    /// The root of that version. `None` if the entry has another by now, or that root is below
    /// nothing.
    pub(crate) fn read(&self, version: u64) -> Option<Root> {
        if self.version.load(Ordering::Acquire) != version {
            return None;
        }
        let root = Root {
            latch: self.latch.load(Ordering::Relaxed),
            generation: self.generation.load(Ordering::Relaxed),
            parent: self.parent.load(),
            jump: self.jump.load(),
        };
        // Ordering: pairs with the fence in `write`: a reader that has read something newer finds
        // another version here.
        fence(Ordering::Acquire);
        (self.version.load(Ordering::Relaxed) == version && root.generation > 0).then_some(root)
    }

    /// The position of the deque at which the job began.
    pub(crate) fn base(&self) -> usize {
        // Ordering: published by the number of roots of the worker, which the caller has read.
        self.base.load(Ordering::Relaxed)
    }

    /// For the worker that has the entry.
    pub(crate) fn version(&self) -> u64 {
        // Ordering: read by the worker that wrote it.
        self.version.load(Ordering::Relaxed)
    }

    /// The address of the root in this entry, the one with that `index` of that `seat`. No origin
    /// if the job is below nothing.
    pub(crate) fn origin(&self, seat: usize, index: usize) -> Origin {
        let version = self.version.load(Ordering::Acquire);
        if version == 0 || self.read(version).is_none() {
            return Origin::NONE;
        }
        Origin {
            seat: seat as u32,
            entry: index as u32,
            version,
        }
    }
}

impl Link {
    fn store(&self, origin: Origin) {
        let place = u64::from(origin.seat) << 32 | u64::from(origin.entry);
        self.place.store(place, Ordering::Relaxed);
        self.version.store(origin.version, Ordering::Relaxed);
    }

    fn load(&self) -> Origin {
        let place = self.place.load(Ordering::Relaxed);
        Origin {
            seat: (place >> 32) as u32,
            entry: place as u32,
            version: self.version.load(Ordering::Relaxed),
        }
    }
}
