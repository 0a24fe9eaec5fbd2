//! The example that BL99 carries through its sections 2 and 3.

use super::super::builder::{DagBuilder, Instruction};
use super::super::explicit::Dag;

/// BL99, Figure 1: 6 threads, 23 instructions, span 10. Frames have size 1.
///
/// The drawing is reconstructed from what the text says about it. The text fixes the threads: the
/// instructions are numbered in the order of the serial execution, Γ5 is v10, v11, v12, v2 spawns
/// Γ2 and v6 spawns the thread that begins with v7. Figure 2, as the text tells it, fixes the join
/// edges that matter: v15 waits for v12, since p1 executes v15 in step 13; v22 waits for Γ2 but not
/// for its last instruction, since Γ1 stalls in step 8 and the span is 10 instructions (a join edge
/// from v15 to v22 would make it 11); so v23 does. Where Γ3, Γ4 and Γ6 join is not told and shows
/// in nothing that is.
pub(in super::super) fn dag() -> Dag {
    const THREADS: [&[usize]; 6] = [
        &[1, 2, 16, 17, 21, 22, 23],
        &[3, 6, 9, 13, 14, 15],
        &[4, 5],
        &[7, 8],
        &[10, 11, 12],
        &[18, 19, 20],
    ];
    const SPAWNS: [(usize, usize); 5] = [(2, 2), (3, 3), (6, 4), (9, 5), (17, 6)];
    const JOINS: [(usize, usize); 6] = [(5, 14), (8, 14), (12, 15), (14, 22), (20, 22), (15, 23)];

    let mut dag = DagBuilder::new();
    let mut v = [Instruction(0); 24];
    let threads = [1, 2, 3, 4, 5, 6].map(|number| dag.thread(format!("Γ{number}"), 1));
    for (&thread, numbers) in threads.iter().zip(THREADS) {
        for &number in numbers {
            v[number] = dag.instruction(thread, format!("v{number}"));
        }
    }
    for (from, child) in SPAWNS {
        dag.spawn(v[from], threads[child - 1]);
    }
    for (from, to) in JOINS {
        dag.join(v[from], v[to]);
    }
    dag.build().expect("the example keeps to the model")
}

/// What BL99 section 2 says about Figure 1, sentence by sentence. What section 3 says about the
/// schedule of Figure 2 is tested where schedules are made.
#[cfg(test)]
mod tests {
    use super::*;

    fn thread(dag: &Dag, name: &str) -> usize {
        (0..dag.threads())
            .find(|&thread| dag.thread_name_of(thread) == name)
            .unwrap()
    }

    fn at(dag: &Dag, name: &str) -> usize {
        dag.instructions()
            .find(|&at| dag.name_of(at) == name)
            .unwrap()
    }

    fn children(dag: &Dag, name: &str) -> Vec<String> {
        let parent = thread(dag, name);
        let children = dag
            .instructions_of(parent)
            .filter_map(|at| dag.spawned_by(at));
        children
            .map(|child| dag.thread_name_of(child).to_owned())
            .collect()
    }

    #[test]
    fn it_has_23_instructions_and_6_threads() {
        let measures = dag().measures();
        assert_eq!((measures.work, measures.threads), (23, 6));
    }

    #[test]
    fn its_work_is_23_and_its_span_10() {
        let measures = dag().measures();
        assert_eq!((measures.work, measures.span), (23, 10));
    }

    #[test]
    fn thread_5_is_v10_v11_v12() {
        let dag = dag();
        let names: Vec<_> = dag
            .instructions_of(thread(&dag, "Γ5"))
            .map(|at| dag.name_of(at))
            .collect();
        assert_eq!(names, ["v10", "v11", "v12"]);
    }

    #[test]
    fn the_spawn_tree_is_as_told() {
        let dag = dag();
        assert_eq!(dag.thread_name_of(dag.root_thread()), "Γ1");
        assert_eq!(children(&dag, "Γ1"), ["Γ2", "Γ6"]);
        assert_eq!(children(&dag, "Γ2"), ["Γ3", "Γ4", "Γ5"]);
        for leaf in ["Γ3", "Γ4", "Γ5", "Γ6"] {
            assert!(children(&dag, leaf).is_empty(), "{leaf}");
        }
    }

    #[test]
    fn v6_spawns_the_thread_of_v7() {
        let dag = dag();
        let child = dag.spawned_by(at(&dag, "v6")).unwrap();
        assert_eq!(dag.instructions_of(child).start, at(&dag, "v7"));
    }

    #[test]
    fn it_is_strict_and_fully_strict() {
        let measures = dag().measures();
        assert!(measures.strict && measures.fully_strict);
    }

    /// "The only edge into the subtree rooted at Γ2 is the spawn edge (v2, v3)."
    #[test]
    fn only_v2_to_v3_enters_the_subtree_of_thread_2() {
        let dag = dag();
        let below = ["Γ2", "Γ3", "Γ4", "Γ5"].map(|name| thread(&dag, name));
        let inside = |at: usize| below.contains(&dag.thread_of(at));
        let entering: Vec<_> = dag
            .instructions()
            .flat_map(|from| dag.successors(from).map(move |to| (from, to)))
            .filter(|&(from, to)| !inside(from) && inside(to))
            .map(|(from, to)| (dag.name_of(from), dag.name_of(to)))
            .collect();
        assert_eq!(entering, [("v2", "v3")]);
    }

    /// The stack depth of a thread is the sum of frames above it, its own included.
    #[test]
    fn its_stack_depth_is_that_of_the_deepest_leaf() {
        assert_eq!(dag().measures().stack_depth, 3);
    }

    /// The numbers are those of the serial execution, children first.
    #[test]
    fn the_serial_execution_counts_from_1_to_23() {
        use super::super::super::{DagUnfolding, Executed, Unfold};
        let dag = dag();
        let mut run = DagUnfolding::new(&dag);
        let mut done = [0; 6];
        let (mut ready, mut enabled) = (vec![run.root()], Vec::new());
        let mut names = Vec::new();
        while let Some(thread) = ready.pop() {
            let first = dag.instructions_of(thread.index()).start;
            names.push(dag.name_of(first + done[thread.index()]).to_owned());
            done[thread.index()] += 1;
            match run.execute(thread, &mut enabled) {
                Executed::Continues => ready.push(thread),
                Executed::Spawns(child) => ready.extend([thread, child]),
                Executed::Stalls | Executed::Dies(_) => {}
            }
            ready.append(&mut enabled);
        }
        assert!(
            names
                .iter()
                .eq((1..=23).map(|n| format!("v{n}")).collect::<Vec<_>>().iter())
        );
    }
}
