use crate::sync::{AtomicBool, Ordering, Thread, thread};

/// A thread that sleeps until a turn has ended.
///
/// Somebody else may unpark the thread, for reasons of their own. So it looks at a flag.
#[derive(Debug)]
pub(crate) struct Sleeper {
    woken: AtomicBool,
    thread: Thread,
}

impl Sleeper {
    /// This thread.
    pub(crate) fn of_this_thread() -> Self {
        Self {
            woken: AtomicBool::new(false),
            thread: thread::current(),
        }
    }

    /// Sleeps until it is woken. Only the thread itself may call this.
    pub(crate) fn sleep(&self) {
        // Ordering: the flag guards nothing; the state is taken by the relay's word.
        while !self.woken.load(Ordering::Relaxed) {
            thread::park();
        }
        // One of these parks may have been ended by an unpark that was meant for code around us,
        // which would wait for it in vain. Being woken once too often does not hurt it.
        self.thread.unpark();
    }

    pub(crate) fn wake(&self) {
        // Ordering: what was stored before an unpark is seen after the park that it ends.
        self.woken.store(true, Ordering::Relaxed);
        self.thread.unpark();
    }
}
