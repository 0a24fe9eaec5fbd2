//! The tree of stolen tasks.

use filch_workload::dag::ThreadId;

/// A stolen task that has begun and not ended, and the frames above it on the same stack up to the
/// next stolen task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stolen(u32);

#[derive(Clone, Debug)]
struct Node {
    task: ThreadId,
    /// The frame that it was forked by; the first task of all has none.
    forked_by: Option<ThreadId>,
    /// The stolen task which that frame belongs to.
    above: Option<Stolen>,
    /// The worker that runs it.
    worker: usize,
    /// What was stolen from its frames.
    below: Vec<Stolen>,
    /// 1 if tasks lie in the deque of its worker and were forked by its frames, and 1 for each of
    /// `below` that is not 0.
    sources: u32,
}

/// All stolen tasks under way.
///
/// It answers one question quickly: is there something to steal below this frame, and where?
#[derive(Clone, Debug, Default)]
pub(super) struct StolenTree {
    nodes: Vec<Node>,
    free: Vec<Stolen>,
}

impl StolenTree {
    /// `worker` begins a task that `forked_by`, a frame of `above`, has forked.
    pub(super) fn begin(
        &mut self,
        worker: usize,
        task: ThreadId,
        forked_by: Option<ThreadId>,
        above: Option<Stolen>,
    ) -> Stolen {
        let node = Node {
            task,
            forked_by,
            above,
            worker,
            below: Vec::new(),
            sources: 0,
        };
        let stolen = match self.free.pop() {
            Some(stolen) => {
                self.nodes[stolen.0 as usize] = node;
                stolen
            }
            None => {
                self.nodes.push(node);
                Stolen(self.nodes.len() as u32 - 1)
            }
        };
        if let Some(above) = above {
            self.nodes[above.0 as usize].below.push(stolen);
        }
        stolen
    }

    /// The task has ended.
    pub(super) fn end(&mut self, stolen: Stolen) {
        let node = &self.nodes[stolen.0 as usize];
        debug_assert!(node.sources == 0 && node.below.is_empty());
        if let Some(above) = node.above {
            self.nodes[above.0 as usize]
                .below
                .retain(|&below| below != stolen);
        }
        self.free.push(stolen);
    }

    /// There are tasks to steal from the frames of `stolen` now.
    pub(super) fn offers(&mut self, stolen: Stolen) {
        let mut next = Some(stolen);
        while let Some(at) = next {
            let node = &mut self.nodes[at.0 as usize];
            node.sources += 1;
            next = if node.sources == 1 { node.above } else { None };
        }
    }

    /// There are no more tasks to steal from the frames of `stolen`.
    pub(super) fn offers_nothing(&mut self, stolen: Stolen) {
        let mut next = Some(stolen);
        while let Some(at) = next {
            let node = &mut self.nodes[at.0 as usize];
            node.sources -= 1;
            next = if node.sources == 0 { node.above } else { None };
        }
    }

    /// What was stolen from `frame`, which belongs to `stolen`, and is awaited there.
    pub(super) fn awaited<'a>(
        &'a self,
        stolen: Stolen,
        frame: ThreadId,
        is_awaited: impl Fn(ThreadId) -> bool + 'a,
    ) -> impl Iterator<Item = Stolen> + 'a {
        let below = self.nodes[stolen.0 as usize].below.iter().copied();
        below.filter(move |below| {
            let node = &self.nodes[below.0 as usize];
            node.forked_by == Some(frame) && is_awaited(node.task)
        })
    }

    /// The worker that runs it.
    pub(super) fn worker(&self, stolen: Stolen) -> usize {
        self.nodes[stolen.0 as usize].worker
    }

    /// Something to steal below what `frame`, which belongs to `stolen`, waits for. `offering` says
    /// what a worker offers that was forked by the frames of a task of its own.
    pub(super) fn source_below<T>(
        &self,
        stolen: Stolen,
        frame: ThreadId,
        is_awaited: impl Fn(ThreadId) -> bool,
        offering: impl Fn(usize, Stolen) -> Option<T>,
    ) -> Option<T> {
        let has_sources = |at: &Stolen| self.nodes[at.0 as usize].sources > 0;
        let mut next = self.awaited(stolen, frame, is_awaited).find(has_sources);
        while let Some(at) = next {
            let node = &self.nodes[at.0 as usize];
            let offered = offering(node.worker, at);
            if offered.is_some() {
                return offered;
            }
            next = node.below.iter().copied().find(has_sources);
        }
        None
    }
}
