//! Computations drawn at random, to try schedulers on shapes that were not chosen by hand.

use filch_random::{Purpose, Seed, Stream};
use rand::RngExt;

use super::super::builder::{DagBuilder, Instruction, Thread};
use super::super::explicit::Dag;

const SHAPE: Purpose = Purpose::named("dags");

/// Frames are drawn from 1 to this.
const LARGEST_FRAME: u64 = 8;

/// Which join edges are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Joins {
    /// To the parent only: fully strict.
    Parent,
    /// To the parent, and at least one to an ancestor above it: strict, but not fully.
    Ancestors,
}

/// A computation of so many threads. Each is the child of a random earlier one, works, spawns and
/// joins at random, and no instruction has more than two edges out.
pub(in super::super) fn dag(threads: u32, seed: u64, joins: Joins) -> Dag {
    let replication = u64::from(joins == Joins::Ancestors);
    let mut rng = Seed::new(seed).stream(SHAPE, replication, u64::from(threads));
    let mut dag = DagBuilder::new();
    let family = SpawnTree::drawn(threads as usize, joins, &mut rng);
    let threads: Vec<DrawnThread> = (0..threads as usize)
        .map(|at| DrawnThread::thread(&mut dag, at, &family, &mut rng))
        .collect();
    for thread in &threads {
        for &(at, child) in &thread.spawns {
            dag.spawn(thread.instructions[at], threads[child].thread);
        }
    }
    let mut forced = joins == Joins::Ancestors;
    for (at, thread) in threads.iter().enumerate().skip(1) {
        let parent = family.parents[at];
        let (last, others) = thread.instructions.split_last().expect("never empty");
        dag.join(*last, threads[parent].target(at, &mut rng));
        for (place, &from) in others.iter().enumerate() {
            let spawns = thread.spawns.iter().any(|&(spawning, _)| spawning == place);
            if !spawns && rng.random_ratio(1, 4) {
                dag.join(from, threads[parent].target(at, &mut rng));
            }
        }
        // The root's children have no ancestor above their parent.
        if joins == Joins::Ancestors && parent != 0 && (forced || rng.random_ratio(1, 4)) {
            forced = false;
            let mut below = parent;
            while family.parents[below] != 0 && rng.random_ratio(1, 2) {
                below = family.parents[below];
            }
            let ancestor = family.parents[below];
            dag.join(*last, threads[ancestor].target(below, &mut rng));
        }
    }
    dag.build().expect("what is drawn keeps to the model")
}

/// The spawn tree.
struct SpawnTree {
    parents: Vec<usize>,
    children: Vec<Vec<usize>>,
}

impl SpawnTree {
    fn drawn(threads: usize, joins: Joins, rng: &mut Stream) -> Self {
        // The root's entry is never looked at.
        let mut parents = vec![0];
        let mut children = vec![Vec::new(); threads];
        for at in 1..threads {
            // A grandchild of the root is needed for a join edge past a parent.
            let parent = match at {
                2 if joins == Joins::Ancestors => 1,
                _ => rng.random_range(0..at),
            };
            parents.push(parent);
            children[parent].push(at);
        }
        Self { parents, children }
    }
}

/// A thread with its instructions.
struct DrawnThread {
    thread: Thread,
    instructions: Vec<Instruction>,
    /// Which of them spawn, and the children.
    spawns: Vec<(usize, usize)>,
}

impl DrawnThread {
    fn thread(dag: &mut DagBuilder, at: usize, family: &SpawnTree, rng: &mut Stream) -> Self {
        let thread = dag.thread(format!("t{}", at + 1), rng.random_range(1..=LARGEST_FRAME));
        let mut spawns = Vec::new();
        let mut length = 0;
        for &child in &family.children[at] {
            length += rng.random_range(0..3);
            spawns.push((length, child));
            length += 1;
        }
        // After the last spawn at least one instruction, and one that children can join with.
        length += if spawns.is_empty() {
            rng.random_range(1..6)
        } else {
            rng.random_range(2..5)
        };
        let name = |place| format!("t{}.{}", at + 1, place + 1);
        Self {
            thread,
            instructions: (0..length)
                .map(|place| dag.instruction(thread, name(place)))
                .collect(),
            spawns,
        }
    }

    /// An instruction that `child` may join with: after its spawn, and not right after any.
    fn target(&self, child: usize, rng: &mut Stream) -> Instruction {
        let spawned = |place: usize| self.spawns.iter().find(|&&(at, _)| at == place);
        let (since, _) = self
            .spawns
            .iter()
            .find(|&&(_, spawned)| spawned == child)
            .expect("its child");
        let open: Vec<usize> = (since + 2..self.instructions.len())
            .filter(|&place| spawned(place - 1).is_none())
            .collect();
        self.instructions[open[rng.random_range(0..open.len())]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_as_strict_as_it_says() {
        for seed in 0..50 {
            for threads in [1, 2, 3, 10, 200] {
                let measures = dag(threads, seed, Joins::Parent).measures();
                assert_eq!(measures.threads, u64::from(threads));
                assert!(measures.fully_strict && measures.strict, "{threads} {seed}");
                assert!(measures.most_edges_out <= 2, "{threads} {seed}");
                if threads >= 3 {
                    let measures = dag(threads, seed, Joins::Ancestors).measures();
                    assert!(
                        measures.strict && !measures.fully_strict,
                        "{threads} {seed}"
                    );
                    assert!(measures.most_edges_out <= 2, "{threads} {seed}");
                }
            }
        }
    }

    #[test]
    fn seeds_matter_and_are_repeatable() {
        assert_eq!(dag(30, 1, Joins::Parent), dag(30, 1, Joins::Parent));
        assert_ne!(dag(30, 1, Joins::Parent), dag(30, 2, Joins::Parent));
    }
}
