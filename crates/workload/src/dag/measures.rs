//! Work, span, stack depth and the kind of a computation.

use super::explicit::Dag;

/// What BL99 says about a computation in numbers (sections 2 and 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measures {
    /// How many threads there are.
    pub threads: u64,
    /// T1: the number of instructions.
    pub work: u64,
    /// Tinf: the number of instructions on a longest path, which is the least time that any number
    /// of processors needs. (BL99 calls it the critical-path length.)
    pub span: u64,
    /// S1: the largest sum of frames from the root to a thread, which is the least space that one
    /// processor needs.
    pub stack_depth: u64,
    /// Whether every join edge goes from a thread to one of its ancestors.
    pub strict: bool,
    /// Whether every join edge goes from a thread to its parent.
    pub fully_strict: bool,
    /// How far up a thread joins at most: 1 if the computation is fully strict, k if it is
    /// k-strict, 0 without joins, `None` if it is not strict.
    pub join_distance: Option<u64>,
    /// nd: the most join edges from a thread to its parent.
    pub nd: u64,
    /// Smax: the size of the largest frame.
    pub largest_frame: u64,
    /// The most edges out of an instruction. ABP01 assumes at most two.
    pub most_edges_out: u64,
}

impl Measures {
    /// The parallelism T1/Tinf.
    pub fn parallelism(&self) -> f64 {
        self.work as f64 / self.span as f64
    }

    /// A computation of one thread.
    pub(super) fn of_one_thread(instructions: u64) -> Self {
        Self {
            threads: 1,
            work: instructions,
            span: instructions,
            stack_depth: 1,
            strict: true,
            fully_strict: true,
            join_distance: Some(0),
            nd: 0,
            largest_frame: 1,
            most_edges_out: u64::from(instructions > 1),
        }
    }

    /// The measures of regular computations that spawn: what a rule says, the rest follows.
    pub(super) fn of_regular(threads: u64, work: u64, span: u64, stack_depth: u64) -> Self {
        Self {
            threads,
            work,
            span,
            stack_depth,
            strict: true,
            fully_strict: true,
            join_distance: Some(1),
            nd: 1,
            largest_frame: 1,
            most_edges_out: 2,
        }
    }
}

impl Dag {
    /// The measures of this computation.
    pub fn measures(&self) -> Measures {
        let family = Ancestry::of(self);
        let joins = || {
            self.instructions()
                .flat_map(|from| self.joins_from(from).iter().map(move |&to| (from, to)))
                .map(|(from, to)| (self.thread_of(from), self.thread_of(to)))
        };
        let mut to_parent = vec![0; self.threads()];
        for (from, to) in joins() {
            to_parent[from] += u64::from(self.parent(from) == Some(to));
        }
        Measures {
            threads: self.threads() as u64,
            work: self.work(),
            span: self.span(),
            stack_depth: family.stack_depth,
            strict: joins().all(|(from, to)| from != to && family.is_ancestor(to, from)),
            fully_strict: joins().all(|(from, to)| self.parent(from) == Some(to)),
            join_distance: joins().try_fold(0, |most: u64, (from, to)| {
                let above = from != to && family.is_ancestor(to, from);
                above.then(|| most.max(self.distance_up(from, to)))
            }),
            nd: to_parent.into_iter().max().unwrap_or(0),
            largest_frame: (0..self.threads())
                .map(|t| self.frame_of(t))
                .max()
                .unwrap_or(0),
            most_edges_out: self
                .instructions()
                .map(|at| self.successors(at).count() as u64)
                .max()
                .unwrap_or(0),
        }
    }

    /// How many generations `ancestor` is above `thread`.
    fn distance_up(&self, thread: usize, ancestor: usize) -> u64 {
        let ancestors = std::iter::successors(Some(thread), |&thread| self.parent(thread));
        ancestors.take_while(|&above| above != ancestor).count() as u64
    }

    /// The instructions on a longest path.
    fn span(&self) -> u64 {
        let mut longest = vec![0u64; self.work() as usize];
        let mut span = 0;
        for at in self.in_order() {
            let here = longest[at] + 1;
            span = span.max(here);
            for next in self.successors(at) {
                longest[next] = longest[next].max(here);
            }
        }
        span
    }

    /// The instructions on a longest path of BL99's augmented dag G′ (section 6), which has a
    /// *deque edge* more for each spawn: from the instruction after the spawning one to the first
    /// of the child. Since no join edge enters the former, G′ is acyclic too.
    pub fn augmented_span(&self) -> u64 {
        // The instruction after a spawn has one edge in, so the edge can be followed from there.
        let deque_edge = |at: usize| {
            let before = at.checked_sub(1)?;
            let same = self.thread_of(before) == self.thread_of(at);
            let child = self.spawned_by(before).filter(|_| same)?;
            Some(self.instructions_of(child).start)
        };
        let next = |at: usize| self.successors(at).chain(deque_edge(at));
        let mut waiting = vec![0u32; self.work() as usize];
        for to in self.instructions().flat_map(next) {
            waiting[to] += 1;
        }
        let mut longest = vec![0u64; waiting.len()];
        let mut open: Vec<usize> = self.instructions().filter(|&at| waiting[at] == 0).collect();
        let mut span = 0;
        while let Some(at) = open.pop() {
            let here = longest[at] + 1;
            span = span.max(here);
            for to in next(at) {
                longest[to] = longest[to].max(here);
                waiting[to] -= 1;
                if waiting[to] == 0 {
                    open.push(to);
                }
            }
        }
        span
    }
}

/// Which threads are ancestors of which, by the intervals of a walk through the spawn tree.
struct Ancestry {
    /// When the walk enters and leaves each thread.
    visits: Vec<(u32, u32)>,
    stack_depth: u64,
}

impl Ancestry {
    fn of(dag: &Dag) -> Self {
        let mut children = vec![Vec::new(); dag.threads()];
        for thread in 0..dag.threads() {
            if let Some(parent) = dag.parent(thread) {
                children[parent].push(thread);
            }
        }
        let mut visits = vec![(0, 0); dag.threads()];
        let (mut clock, mut stack_depth) = (0, 0);
        let mut open = vec![(dag.root_thread(), 0u64, false)];
        while let Some((thread, above, left)) = open.pop() {
            if left {
                visits[thread].1 = clock;
                continue;
            }
            let depth = above + dag.frame_of(thread);
            stack_depth = stack_depth.max(depth);
            visits[thread].0 = clock;
            clock += 1;
            open.push((thread, 0, true));
            open.extend(children[thread].iter().map(|&child| (child, depth, false)));
        }
        Self {
            visits,
            stack_depth,
        }
    }

    /// Whether `elder` is `younger` or above it.
    fn is_ancestor(&self, elder: usize, younger: usize) -> bool {
        let (from, to) = self.visits[elder];
        (from..to).contains(&self.visits[younger].0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Family;

    /// By hand: a root `fork, work, sum` with a leaf. The deque edge makes the leaf wait for
    /// `work`.
    #[test]
    fn deque_edges_lengthen_paths() {
        let dag = "loop:1:1".parse::<Family>().unwrap().dag();
        assert_eq!((dag.measures().span, dag.augmented_span()), (3, 4));
    }

    /// BL99 section 6: the longest path of G′ is at most twice that of G.
    #[test]
    fn the_augmented_span_is_at_most_twice_the_span() {
        for name in [
            "figure1",
            "fib:10",
            "tree:5:2",
            "comb:50",
            "loop:40:3",
            "chain:9",
        ] {
            let dag = name.parse::<Family>().unwrap().dag();
            let (span, augmented) = (dag.measures().span, dag.augmented_span());
            assert!(
                (span..=2 * span).contains(&augmented),
                "{name}: {span}, {augmented}"
            );
        }
        for seed in 0..50 {
            let dag = Family::Random { threads: 80, seed }.dag();
            let (span, augmented) = (dag.measures().span, dag.augmented_span());
            assert!(
                (span..=2 * span).contains(&augmented),
                "{seed}: {span}, {augmented}"
            );
        }
    }
}
