//! The augmented dag G′: the computation and its deque edges.

use filch_workload::dag::Dag;

/// BL99's G′: all edges of the dag, and for every instruction u with a spawn edge (u, v) and a
/// continue edge (u, w) a *deque edge* (w, v). It orders instructions for the analysis alone; no
/// scheduler follows it.
#[derive(Clone, Debug)]
pub struct Augmented {
    /// Where in `successors` those of each instruction begin.
    starts: Vec<usize>,
    successors: Vec<usize>,
    predecessors: Vec<Vec<usize>>,
}

impl Augmented {
    /// The augmented dag of a computation.
    pub fn of(dag: &Dag) -> Self {
        let count = dag.instructions().len();
        let mut edges = Vec::new();
        for at in dag.instructions() {
            edges.extend(dag.successors(at).map(|next| (at, next)));
            let own = dag.instructions_of(dag.thread_of(at));
            if let Some(child) = dag.spawned_by(at)
                && own.contains(&(at + 1))
            {
                edges.push((at + 1, dag.instructions_of(child).start));
            }
        }
        edges.sort_unstable();
        let mut starts = vec![0; count + 1];
        let mut predecessors = vec![Vec::new(); count];
        for &(from, to) in &edges {
            starts[from + 1] += 1;
            predecessors[to].push(from);
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        Self {
            starts,
            successors: edges.into_iter().map(|(_, to)| to).collect(),
            predecessors,
        }
    }

    /// How many instructions there are.
    pub fn instructions(&self) -> usize {
        self.predecessors.len()
    }

    /// Where the edges out of an instruction lead.
    pub fn successors(&self, instruction: usize) -> &[usize] {
        &self.successors[self.starts[instruction]..self.starts[instruction + 1]]
    }

    /// Where the edges into an instruction come from.
    pub fn predecessors(&self, instruction: usize) -> &[usize] {
        &self.predecessors[instruction]
    }

    /// The most edges out of an instruction.
    pub fn most_edges_out(&self) -> usize {
        let out = self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        out.max().unwrap_or(0)
    }

    /// The number of instructions on a longest path, which BL99 says is at most 2·Tinf; nothing if
    /// the edges have a cycle.
    pub fn longest_path(&self) -> Option<u64> {
        let mut waiting: Vec<usize> = self.predecessors.iter().map(Vec::len).collect();
        let mut length = vec![1u64; waiting.len()];
        let mut ready: Vec<usize> = (0..waiting.len()).filter(|&at| waiting[at] == 0).collect();
        let (mut seen, mut longest) = (0, 0);
        while let Some(at) = ready.pop() {
            seen += 1;
            longest = longest.max(length[at]);
            for &next in self.successors(at) {
                length[next] = length[next].max(length[at] + 1);
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    ready.push(next);
                }
            }
        }
        (seen == waiting.len()).then_some(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_workload::dag::{Computation, DagBuilder, Family};

    /// A root of three instructions, the first of which spawns a child of two that joins with the
    /// third: the deque edge leads from the second to the child's first.
    #[test]
    fn a_deque_edge() {
        let mut dag = DagBuilder::new();
        let (root, child) = (dag.thread("root", 1), dag.thread("child", 1));
        let [u, _, last] = ["u", "w", "z"].map(|name| dag.instruction(root, name));
        let [_, x] = ["v", "x"].map(|name| dag.instruction(child, name));
        dag.spawn(u, child);
        dag.join(x, last);
        let augmented = Augmented::of(&dag.build().unwrap());
        assert_eq!(augmented.successors(0), [1, 3]);
        assert_eq!(augmented.successors(1), [2, 3]);
        assert_eq!(augmented.predecessors(3), [0, 1]);
        assert_eq!(augmented.longest_path(), Some(5));
        assert_eq!(augmented.most_edges_out(), 2);
    }

    /// It is a dag, and its longest path is at most twice the span.
    #[test]
    fn at_most_twice_the_span() {
        for seed in 0..60 {
            let family = Family::Random { threads: 60, seed };
            let Computation::Explicit(dag) = family.computation() else {
                panic!("random computations are written down");
            };
            let longest = Augmented::of(&dag).longest_path().expect("no cycle");
            let span = family.measures().span;
            assert!(
                (span..=2 * span).contains(&longest),
                "{seed}: {longest} of {span}"
            );
        }
    }
}
