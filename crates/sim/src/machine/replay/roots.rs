//! The forest of stolen tasks: which task in a deque is below which frame.

use super::frames::NONE;

#[derive(Clone, Debug)]
struct Root {
    /// The frame that it was stolen from, until the stolen task itself has ended.
    forked_by: u32,
    /// The stolen task which that frame belongs to.
    above: u32,
    /// What was stolen from its frames.
    below: Vec<u32>,
    /// The seat at which its frames forked last.
    seat: u32,
    /// How many items in deques were forked by its frames.
    items: u32,
    /// 1 if there are such items, and 1 for each of `below` whose number is not 0.
    sources: u32,
    has_ended: bool,
}

/// All stolen tasks under way, and those that others have been stolen from which are.
#[derive(Debug, Default)]
pub(super) struct Roots {
    roots: Vec<Root>,
    free: Vec<u32>,
}

impl Roots {
    /// A task begins that was stolen from the frame `forked_by` of `above`.
    pub(super) fn begin(&mut self, forked_by: u32, above: u32) -> u32 {
        let root = Root {
            forked_by,
            above,
            below: Vec::new(),
            seat: 0,
            items: 0,
            sources: 0,
            has_ended: false,
        };
        let number = match self.free.pop() {
            Some(number) => {
                self.roots[number as usize] = root;
                number
            }
            None => {
                self.roots.push(root);
                self.roots.len() as u32 - 1
            }
        };
        if above != NONE {
            self.roots[above as usize].below.push(number);
        }
        number
    }

    /// The stolen task itself has ended; it may have left items behind.
    pub(super) fn left(&mut self, root: u32) {
        self.roots[root as usize].forked_by = NONE;
    }

    /// Its worker has come to its end.
    pub(super) fn end(&mut self, root: u32) {
        self.roots[root as usize].has_ended = true;
        self.release(root);
    }

    /// Forgets a task from which nothing can come any more.
    fn release(&mut self, root: u32) {
        let mut next = root;
        while next != NONE {
            let root = &self.roots[next as usize];
            if !root.has_ended || root.items > 0 || !root.below.is_empty() {
                return;
            }
            let above = root.above;
            self.free.push(next);
            if above != NONE {
                let below = &mut self.roots[above as usize].below;
                below.retain(|&below| below != next);
            }
            next = above;
        }
    }

    /// A frame of `root` forks at `seat`. Calls `above` with each frame below which there is
    /// something now and was nothing before.
    pub(super) fn forks(&mut self, root: u32, seat: usize, mut above: impl FnMut(u32)) {
        let at = &mut self.roots[root as usize];
        at.seat = seat as u32;
        at.items += 1;
        if at.items > 1 {
            return;
        }
        let mut next = root;
        while next != NONE {
            let root = &mut self.roots[next as usize];
            root.sources += 1;
            if root.sources > 1 {
                return;
            }
            if root.forked_by != NONE {
                above(root.forked_by);
            }
            next = root.above;
        }
    }

    /// An item that a frame of `root` forked has been taken.
    pub(super) fn taken(&mut self, root: u32) {
        let at = &mut self.roots[root as usize];
        at.items -= 1;
        if at.items > 0 {
            return;
        }
        let mut next = root;
        while next != NONE {
            let root = &mut self.roots[next as usize];
            root.sources -= 1;
            if root.sources > 0 {
                break;
            }
            next = root.above;
        }
        self.release(root);
    }

    /// The seat and the root of an item below `frame`, which belongs to `root`.
    pub(super) fn source_below(&self, root: u32, frame: u32) -> Option<(usize, u32)> {
        let has_sources = |&&at: &&u32| self.roots[at as usize].sources > 0;
        let of_frame = |&&at: &&u32| self.roots[at as usize].forked_by == frame;
        let below = &self.roots[root as usize].below;
        let mut next = below.iter().filter(of_frame).find(has_sources).copied();
        while let Some(at) = next {
            let root = &self.roots[at as usize];
            if root.items > 0 {
                return Some((root.seat as usize, at));
            }
            next = root.below.iter().find(has_sources).copied();
        }
        None
    }
}
