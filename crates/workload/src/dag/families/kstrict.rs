//! A computation whose threads also join with ancestors further up.

use super::super::builder::{DagBuilder, Instruction, Thread};
use super::super::explicit::Dag;

/// A complete binary tree of threads, `depth` levels below the root, whose leaves work for `grain`
/// instructions. Each thread joins with its parent in the end; one that has a k-th ancestor joins
/// with that one too, just before. So the computation is k-strict (Fatourou, Spirakis 2000), and
/// fully strict for k = 1.
///
/// A thread that is no leaf spawns twice, works once, waits for its k-th descendants, and waits for
/// its children.
pub(in super::super) fn dag(k: u32, depth: u32, grain: u32) -> Dag {
    let mut tree = KStrictTree {
        dag: DagBuilder::new(),
        k: k as usize,
        grain,
        path: Vec::new(),
        number: 0,
    };
    tree.thread(depth);
    tree.dag.build().expect("a tree keeps to the model")
}

struct KStrictTree {
    dag: DagBuilder,
    k: usize,
    grain: u32,
    /// For each thread above: where descendants join, and where children join.
    path: Vec<[Instruction; 2]>,
    /// Threads so far.
    number: usize,
}

impl KStrictTree {
    /// A thread with so many levels below it.
    fn thread(&mut self, levels: u32) -> Thread {
        self.number += 1;
        let name = format!("t{}", self.number);
        let thread = self.dag.thread(&*name, 1);
        let mut place = 0;
        let mut next = |dag: &mut DagBuilder| {
            place += 1;
            dag.instruction(thread, format!("{name}.{place}"))
        };
        if levels == 0 {
            for _ in 0..self.grain {
                next(&mut self.dag);
            }
        } else {
            let spawns = [(); 2].map(|()| next(&mut self.dag));
            next(&mut self.dag);
            let joins = [(); 2].map(|()| next(&mut self.dag));
            self.path.push(joins);
            for from in spawns {
                let child = self.thread(levels - 1);
                self.dag.spawn(from, child);
            }
            self.path.pop();
        }
        let above = self.path.len();
        if self.k > 1 && above >= self.k {
            let from = next(&mut self.dag);
            self.dag.join(from, self.path[above - self.k][0]);
        }
        if let Some(&[_, parent]) = self.path.last() {
            let last = next(&mut self.dag);
            self.dag.join(last, parent);
        }
        thread
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_k_strict() {
        for k in 1..=4 {
            let measures = dag(k, 6, 3).measures();
            assert_eq!(measures.threads, 127);
            assert_eq!(measures.join_distance, Some(u64::from(k)));
            assert_eq!(measures.fully_strict, k == 1);
            assert!(measures.strict && measures.most_edges_out <= 2);
            assert_eq!(measures.stack_depth, 7);
        }
    }

    /// 3 inner threads of 5 instructions and 4 leaves of 2, a last instruction for each but the
    /// root, and one more for each leaf, which has a second ancestor.
    #[test]
    fn a_small_one_by_hand() {
        let measures = dag(2, 2, 2).measures();
        assert_eq!(measures.work, 3 * 5 + 4 * 2 + 6 + 4);
        // Down the later children, 2 and 2 spawns, a leaf with its 4 instructions, and the ends:
        // its parent's join and last instruction, the root's join.
        assert_eq!(measures.span, 2 + 2 + 4 + 2 + 1);
    }
}
