//! The enabling tree of ABP01: which vertex made which other ready.

use filch_workload::dag::{Executed, ThreadId};

use super::observe::Event;

/// The part of the enabling tree that ready vertices still hang on.
///
/// A vertex is known by its thread, which has one ready vertex at a time. What is kept of a vertex
/// is its *designated parent*, the vertex whose execution made it ready. Vertices on which nothing
/// ready hangs are forgotten, so that a long run needs no memory of its length. Each vertex also
/// remembers an ancestor further up (Myers's skip pointers), by which any ancestor is found in
/// logarithmic time.
#[derive(Clone, Debug)]
pub struct Enabling {
    span: u64,
    vertices: Vec<Vertex>,
    free: Vec<u32>,
    /// For each thread its ready vertex.
    ready: Vec<Ready>,
}

#[derive(Clone, Copy, Debug)]
struct Ready {
    /// The designated parent; the root vertex has none.
    parent: Option<u32>,
    depth: u64,
}

/// An executed vertex.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    parent: Option<u32>,
    skip: u32,
    depth: u64,
    /// Children here and ready vertices below.
    hanging: u32,
}

impl Enabling {
    /// The tree before the root vertex is executed; `span` is ABP01's S.
    pub fn of(root: ThreadId, span: u64) -> Self {
        let mut tree = Self {
            span,
            vertices: Vec::new(),
            free: Vec::new(),
            ready: Vec::new(),
        };
        tree.set(root, None, 0);
        tree
    }

    /// The depth of a thread's ready vertex.
    pub fn depth(&self, thread: ThreadId) -> u64 {
        self.ready[thread.index()].depth
    }

    /// The weight S − d of a thread's ready vertex, which is at least 1: a path in the enabling
    /// tree is one in the dag. `None` if that is not so.
    pub fn weight(&self, thread: ThreadId) -> Option<u64> {
        self.span
            .checked_sub(self.depth(thread))
            .filter(|&weight| weight > 0)
    }

    /// How the designated parents of two threads' ready vertices lie to one another.
    pub fn relation(&self, elder: ThreadId, younger: ThreadId) -> Relation {
        let [elder, younger] = [elder, younger].map(|thread| self.ready[thread.index()].parent);
        let (Some(elder), Some(mut at)) = (elder, younger) else {
            return Relation::None;
        };
        if elder == at {
            return Relation::Same;
        }
        let depth = self.vertices[elder as usize].depth;
        while self.vertices[at as usize].depth > depth {
            let vertex = &self.vertices[at as usize];
            at = if self.vertices[vertex.skip as usize].depth >= depth {
                vertex.skip
            } else {
                vertex.parent.expect("deeper than another vertex")
            };
        }
        if at == elder {
            Relation::Ancestor
        } else {
            Relation::None
        }
    }

    /// Writes down what happened.
    pub fn note(&mut self, event: &Event<'_>) {
        let &Event::Worked {
            thread,
            executed,
            enabled,
            ..
        } = event
        else {
            return;
        };
        let Ready { parent, depth } = self.ready[thread.index()];
        let vertex = self.add(parent, depth);
        // Held by this function until all that it enabled hangs on it.
        self.vertices[vertex as usize].hanging += 1;
        for &other in enabled {
            self.set(other, Some(vertex), depth + 1);
        }
        match executed {
            Executed::Continues => self.set(thread, Some(vertex), depth + 1),
            Executed::Spawns(child) => {
                self.set(thread, Some(vertex), depth + 1);
                self.set(child, Some(vertex), depth + 1);
            }
            Executed::Stalls | Executed::Dies(_) => {}
        }
        // The executed vertex is no longer ready, so it does not hang on its parent as such; it
        // does as a vertex, if anything hangs on it.
        if let Some(parent) = parent {
            self.release(parent);
        }
        self.release(vertex);
    }

    fn add(&mut self, parent: Option<u32>, depth: u64) -> u32 {
        let skip = parent.map(|parent| {
            let vertex = &mut self.vertices[parent as usize];
            vertex.hanging += 1;
            let near = *vertex;
            let far = self.vertices[near.skip as usize];
            let farther = self.vertices[far.skip as usize].depth;
            // Two skips of the same length become one that passes over both.
            if near.depth - far.depth == far.depth - farther {
                far.skip
            } else {
                parent
            }
        });
        let vertex = Vertex {
            parent,
            skip: 0,
            depth,
            hanging: 0,
        };
        let at = match self.free.pop() {
            Some(at) => {
                self.vertices[at as usize] = vertex;
                at
            }
            None => {
                self.vertices.push(vertex);
                u32::try_from(self.vertices.len() - 1).expect("fewer than 2³² vertices")
            }
        };
        self.vertices[at as usize].skip = skip.unwrap_or(at);
        at
    }

    fn set(&mut self, thread: ThreadId, parent: Option<u32>, depth: u64) {
        if let Some(parent) = parent {
            self.vertices[parent as usize].hanging += 1;
        }
        let ready = Ready { parent, depth };
        if self.ready.len() <= thread.index() {
            self.ready.resize(thread.index() + 1, ready);
        }
        self.ready[thread.index()] = ready;
    }

    fn release(&mut self, mut at: u32) {
        loop {
            let vertex = &mut self.vertices[at as usize];
            vertex.hanging -= 1;
            if vertex.hanging > 0 {
                return;
            }
            self.free.push(at);
            match vertex.parent {
                Some(parent) => at = parent,
                None => return,
            }
        }
    }

    #[cfg(test)]
    fn kept(&self) -> usize {
        self.vertices.len() - self.free.len()
    }
}

/// How one vertex of the enabling tree lies to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They are the same.
    Same,
    /// The first is a proper ancestor of the second.
    Ancestor,
    /// Neither.
    None,
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_workload::dag::{Family, Unfold, Visit};

    /// Runs threads in a random order and compares every relation with a tree kept whole.
    struct Whole(u64);

    impl Visit for Whole {
        type Value = (usize, usize);

        fn visit<U: Unfold>(self, mut computation: U) -> (usize, usize) {
            use rand::RngExt;
            let mut rng =
                filch_random::Seed::new(self.0).stream(filch_random::Purpose::named("test"), 0, 0);
            let root = computation.root();
            let mut tree = Enabling::of(root, 1 << 40);
            // For each executed vertex its parent; for each ready thread its designated parent.
            let mut whole: Vec<Option<usize>> = Vec::new();
            let mut ready = vec![(root, None::<usize>)];
            let mut enabled = Vec::new();
            let mut most = 0;
            while !ready.is_empty() {
                let (thread, parent) = ready.swap_remove(rng.random_range(0..ready.len()));
                whole.push(parent);
                let vertex = Some(whole.len() - 1);
                let executed = computation.execute(thread, &mut enabled);
                tree.note(&Event::Worked {
                    processor: 0,
                    thread,
                    executed,
                    frame: 0,
                    enabled: &enabled,
                });
                match executed {
                    Executed::Continues => ready.push((thread, vertex)),
                    Executed::Spawns(child) => ready.extend([(thread, vertex), (child, vertex)]),
                    Executed::Stalls | Executed::Dies(_) => {}
                }
                ready.extend(enabled.drain(..).map(|other| (other, vertex)));
                most = most.max(tree.kept());
                for pair in ready.windows(2) {
                    let [(elder, above), (younger, below)] = [pair[0], pair[1]];
                    let mut at = below;
                    while at.is_some() && at != above {
                        at = whole[at.unwrap()];
                    }
                    let expected = match (above == below, at == above) {
                        (true, _) => Relation::Same,
                        (_, true) => Relation::Ancestor,
                        _ => Relation::None,
                    };
                    assert_eq!(tree.relation(elder, younger), expected);
                }
            }
            assert_eq!(tree.kept(), 0);
            (most, whole.len())
        }
    }

    #[test]
    fn relations_are_those_of_the_whole_tree() {
        for (seed, name) in [
            "fib:9",
            "loop:20:3",
            "comb:20",
            "random:60:1",
            "strict:60:1",
        ]
        .into_iter()
        .enumerate()
        {
            let family: Family = name.parse().unwrap();
            family.computation().visit(Whole(seed as u64));
        }
    }

    /// A chain of a thousand vertices is kept while something hangs on it; a wide computation is
    /// mostly forgotten.
    #[test]
    fn what_nothing_hangs_on_is_forgotten() {
        let kept = |name: &str| {
            let family: Family = name.parse().unwrap();
            family.computation().visit(Whole(1))
        };
        let (most, all) = kept("loop:300:1");
        assert!(most < all, "{most} of {all}");
    }
}
