//! Computations given by a rule, unfolded as they run.

use super::measures::Measures;
use super::unfold::{Executed, ThreadId, Unfold};

/// What an instruction of a regular computation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// It works.
    Work,
    /// It works, and the instruction after it has a join edge from the last instruction of every
    /// child spawned so far.
    ThenJoin,
    /// It spawns a thread.
    Spawn(T),
    /// It is the last of its thread.
    End,
}

/// A computation whose threads are described by a small value each.
///
/// Regular computations are fully strict: a child's last instruction joins with its parent and
/// there are no other join edges.
pub trait Regular: Copy {
    /// Where a thread is: enough to say what is still to come of it.
    type Thread: Copy + std::fmt::Debug;

    /// The root before its first instruction.
    fn root(&self) -> Self::Thread;

    /// Moves a thread past its next instruction and says what that does.
    ///
    /// A thread must not answer [`Step::ThenJoin`] right after [`Step::Spawn`] was its last
    /// answer without an instruction in between, and joins with all its children before it ends.
    fn step(&self, thread: &mut Self::Thread) -> Step<Self::Thread>;

    /// The size of a thread's frame, which is the same from its first instruction to its last.
    #[inline]
    fn frame(&self, _thread: &Self::Thread) -> u64 {
        1
    }

    /// Measures of the whole computation, found without unfolding it.
    fn measures(&self) -> Measures;
}

/// A regular computation under way: the frames of its living threads and nothing else.
#[derive(Clone, Debug)]
pub struct Unfolding<R: Regular> {
    rule: R,
    frames: Vec<Frame<R::Thread>>,
    /// The frame that was given back last; its parent is the one before, and so on.
    free: Option<ThreadId>,
}

#[derive(Clone, Copy, Debug)]
struct Frame<T> {
    thread: T,
    parent: Option<ThreadId>,
    living_children: u32,
    /// Waits for its living children.
    stalled: bool,
}

impl<R: Regular> Unfolding<R> {
    /// The computation before its first instruction.
    pub fn new(rule: R) -> Self {
        let root = Frame {
            thread: rule.root(),
            parent: None,
            living_children: 0,
            stalled: false,
        };
        Self {
            rule,
            frames: vec![root],
            free: None,
        }
    }

    /// How many frames there is room for: the most threads that have lived at once.
    pub fn most_living(&self) -> usize {
        self.frames.len()
    }

    /// The frame of a new thread. Its fields are written one by one: put together elsewhere and
    /// copied, they would be read before the processor has them all in one place.
    #[inline(always)]
    fn born(&mut self, thread: R::Thread, parent: ThreadId) -> ThreadId {
        let Some(id) = self.free else {
            return self.born_at_the_end(thread, parent);
        };
        let frame = &mut self.frames[id.index()];
        self.free = frame.parent;
        frame.thread = thread;
        frame.parent = Some(parent);
        frame.living_children = 0;
        frame.stalled = false;
        id
    }

    #[cold]
    fn born_at_the_end(&mut self, thread: R::Thread, parent: ThreadId) -> ThreadId {
        self.frames.push(Frame {
            thread,
            parent: Some(parent),
            living_children: 0,
            stalled: false,
        });
        ThreadId::new(self.frames.len() - 1)
    }
}

impl<R: Regular> Unfold for Unfolding<R> {
    fn root(&self) -> ThreadId {
        ThreadId::new(0)
    }

    // In the innermost loop of every scheduler, where the call would cost as much as what it does.
    #[inline(always)]
    fn execute(&mut self, thread: ThreadId, enabled: &mut Vec<ThreadId>) -> Executed {
        let frame = &mut self.frames[thread.index()];
        debug_assert!(!frame.stalled, "a stalled thread is not executed");
        match self.rule.step(&mut frame.thread) {
            Step::Work => Executed::Continues,
            Step::ThenJoin if frame.living_children == 0 => Executed::Continues,
            Step::ThenJoin => {
                frame.stalled = true;
                Executed::Stalls
            }
            Step::Spawn(child) => {
                frame.living_children += 1;
                Executed::Spawns(self.born(child, thread))
            }
            Step::End => {
                debug_assert_eq!(frame.living_children, 0, "a parent outlives its children");
                let parent = std::mem::replace(&mut frame.parent, self.free);
                self.free = Some(thread);
                if let Some(parent) = parent {
                    let waiting = &mut self.frames[parent.index()];
                    waiting.living_children -= 1;
                    if waiting.stalled && waiting.living_children == 0 {
                        waiting.stalled = false;
                        enabled.push(parent);
                    }
                }
                Executed::Dies(parent)
            }
        }
    }

    fn is_ready(&self, thread: ThreadId) -> bool {
        !self.frames[thread.index()].stalled
    }

    fn living_children(&self, thread: ThreadId) -> u32 {
        self.frames[thread.index()].living_children
    }

    #[inline]
    fn frame(&self, thread: ThreadId) -> u64 {
        self.rule.frame(&self.frames[thread.index()].thread)
    }
}

#[cfg(test)]
mod tests {
    use super::super::families::Fib;
    use super::*;

    /// The frames that were ever needed at once are those of the deepest path, however large the
    /// computation.
    #[test]
    fn memory_is_that_of_living_threads() {
        let mut fib = Unfolding::new(Fib { n: 22 });
        let (mut ready, mut enabled) = (vec![fib.root()], Vec::new());
        let mut work = 0;
        while let Some(thread) = ready.pop() {
            match fib.execute(thread, &mut enabled) {
                Executed::Continues => ready.push(thread),
                Executed::Spawns(child) => ready.extend([thread, child]),
                Executed::Stalls | Executed::Dies(_) => {}
            }
            ready.append(&mut enabled);
            work += 1;
        }
        assert_eq!(work, fib.rule.measures().work);
        assert_eq!(fib.most_living() as u64, fib.rule.measures().stack_depth);
    }
}
