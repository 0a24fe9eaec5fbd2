//! The depth of each thread's stack, by thread and not by worker: a runtime may have more threads
//! than workers.

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What one program did to the stacks of the threads that ran it.
#[derive(Debug)]
pub(crate) struct StackGauge {
    number: usize,
    threads: Mutex<Vec<Arc<ThreadStack>>>,
    live: AtomicUsize,
    most_live: AtomicUsize,
}

/// The stack of one thread. Only that thread writes to it.
#[derive(Debug)]
struct ThreadStack {
    /// The address at which it begins, or a little below.
    base: usize,
    /// Bytes from there to the innermost frame that is noted now; zero without one.
    live: AtomicUsize,
    /// The most that this has been.
    deepest: AtomicUsize,
}

/// A noted frame; its end takes the stack back to what it was before.
#[derive(Debug)]
pub(crate) struct NotedFrame<'g> {
    gauge: &'g StackGauge,
    stack: Arc<ThreadStack>,
    before: usize,
}

thread_local! {
    /// This thread's stack, and the number of the gauge that it belongs to.
    static STACK: RefCell<Option<(usize, Arc<ThreadStack>)>> = const { RefCell::new(None) };
}

impl StackGauge {
    /// A gauge that has seen no thread.
    pub(crate) fn new() -> StackGauge {
        static GAUGES: AtomicUsize = AtomicUsize::new(0);
        StackGauge {
            number: GAUGES.fetch_add(1, Ordering::Relaxed),
            threads: Mutex::default(),
            live: AtomicUsize::new(0),
            most_live: AtomicUsize::new(0),
        }
    }

    /// This thread's stack begins about here. A thread that never says so, because a runtime starts
    /// it without its start handler, begins with its first frame.
    pub(crate) fn begin(&self) {
        drop(self.stack());
    }

    /// Notes the caller's frame for as long as the value lives, which is to be in that frame.
    pub(crate) fn frame(&self) -> NotedFrame<'_> {
        let stack = self.stack();
        // At least one byte: that tells a thread that ran a closure from one that only began.
        let depth = stack.base.saturating_sub(here()).max(1);
        let before = stack.live.swap(depth, Ordering::Relaxed);
        stack.deepest.fetch_max(depth, Ordering::Relaxed);
        let growth = depth.wrapping_sub(before);
        let live = self.live.fetch_add(growth, Ordering::Relaxed);
        self.most_live
            .fetch_max(live.wrapping_add(growth), Ordering::Relaxed);
        NotedFrame {
            gauge: self,
            stack,
            before,
        }
    }

    /// The deepest stack of any thread.
    pub(crate) fn deepest(&self) -> usize {
        let threads = self.known();
        let depths = threads
            .iter()
            .map(|stack| stack.deepest.load(Ordering::Relaxed));
        depths.max().unwrap_or_default()
    }

    /// The largest sum of live stacks at any moment.
    pub(crate) fn most_live(&self) -> usize {
        self.most_live.load(Ordering::Relaxed)
    }

    /// The threads that noted a frame.
    pub(crate) fn threads(&self) -> usize {
        let threads = self.known();
        let used = |stack: &&Arc<ThreadStack>| stack.deepest.load(Ordering::Relaxed) > 0;
        threads.iter().filter(used).count()
    }

    /// The threads that may have noted a frame. One that panicked has left no half of an entry.
    fn known(&self) -> MutexGuard<'_, Vec<Arc<ThreadStack>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stack(&self) -> Arc<ThreadStack> {
        STACK.with_borrow_mut(|known| match known {
            Some((number, stack)) if *number == self.number => Arc::clone(stack),
            _ => {
                let stack = Arc::new(ThreadStack {
                    base: here(),
                    live: AtomicUsize::new(0),
                    deepest: AtomicUsize::new(0),
                });
                let mut threads = self.known();
                threads.push(Arc::clone(&stack));
                *known = Some((self.number, Arc::clone(&stack)));
                stack
            }
        })
    }
}

impl Drop for NotedFrame<'_> {
    fn drop(&mut self) {
        let depth = self.stack.live.swap(self.before, Ordering::Relaxed);
        let shrinkage = depth.wrapping_sub(self.before);
        self.gauge.live.fetch_sub(shrinkage, Ordering::Relaxed);
    }
}

/// An address in the caller's frame, or close to it.
#[inline(never)]
fn here() -> usize {
    let local = 0_u8;
    black_box(&raw const local).addr()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    /// Calls `inside` below a frame of at least 4 KiB.
    #[inline(never)]
    fn below(gauge: &StackGauge, inside: &dyn Fn()) {
        let bytes = black_box([0_u8; 4096]);
        let _frame = gauge.frame();
        inside();
        black_box(&bytes);
    }

    #[test]
    fn a_stack_grows_with_its_frames_and_shrinks_with_their_ends() {
        let gauge = StackGauge::new();
        gauge.begin();
        assert_eq!((gauge.deepest(), gauge.threads()), (0, 0));
        below(&gauge, &|| below(&gauge, &|| ()));
        assert!(
            (8192..32768).contains(&gauge.deepest()),
            "{}",
            gauge.deepest()
        );
        assert_eq!(gauge.most_live(), gauge.deepest());
        below(&gauge, &|| ());
        assert_eq!(
            gauge.most_live(),
            gauge.deepest(),
            "the first call has ended"
        );
        assert_eq!(gauge.threads(), 1);
    }

    #[test]
    fn live_stacks_of_threads_add_up() {
        let (gauge, both) = (StackGauge::new(), Barrier::new(2));
        thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    gauge.begin();
                    below(&gauge, &|| _ = both.wait());
                });
            }
        });
        assert_eq!(gauge.threads(), 2);
        assert!(gauge.most_live() >= 2 * 4096, "{}", gauge.most_live());
        assert!(gauge.most_live() > gauge.deepest());
    }

    /// A runtime may start a thread without its start handler.
    #[test]
    fn a_thread_that_never_began_is_counted() {
        let gauge = StackGauge::new();
        thread::scope(|threads| {
            threads.spawn(|| drop(gauge.frame()));
        });
        assert_eq!(gauge.threads(), 1);
    }
}
