//! Writing a regular computation down.

use super::builder::{DagBuilder, Instruction, Thread};
use super::explicit::Dag;
use super::regular::{Regular, Step};

impl Dag {
    /// All of a regular computation. Threads are numbered in the order of the serial execution
    /// (children first), and so are instructions.
    pub fn whole<R: Regular>(rule: &R) -> Self {
        let mut dag = DagBuilder::new();
        let (mut threads, mut instructions) = (0, 0);
        let mut born = |dag: &mut DagBuilder, state| {
            threads += 1;
            OpenThread {
                thread: dag.thread(format!("t{threads}"), rule.frame(&state)),
                state,
                ended: Vec::new(),
                joins: false,
            }
        };
        let mut stack = vec![born(&mut dag, rule.root())];
        while let Some(mut top) = stack.pop() {
            instructions += 1;
            let at = dag.instruction(top.thread, format!("v{instructions}"));
            if top.joins {
                for last in top.ended.drain(..) {
                    dag.join(last, at);
                }
            }
            let step = rule.step(&mut top.state);
            top.joins = matches!(step, Step::ThenJoin);
            match step {
                Step::Work | Step::ThenJoin => stack.push(top),
                Step::Spawn(state) => {
                    let child = born(&mut dag, state);
                    dag.spawn(at, child.thread);
                    stack.extend([top, child]);
                }
                Step::End => {
                    if let Some(parent) = stack.last_mut() {
                        parent.ended.push(at);
                    }
                }
            }
        }
        dag.build()
            .expect("a regular computation keeps to the model")
    }
}

/// A thread that has begun and not ended.
struct OpenThread<T> {
    thread: Thread,
    state: T,
    /// The last instructions of children that it has not joined with.
    ended: Vec<Instruction>,
    /// Whether its next instruction does so.
    joins: bool,
}
