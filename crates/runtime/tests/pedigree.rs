//! Randomised programs repeat on any number of workers.
#![cfg(not(any(loom, shuttle)))]

mod common;

use common::on_pools;
use filch::Pedigree;
use filch_random::Stream;
use rand::RngExt;

/// A tree whose shape is drawn as it grows, as a string: brackets around children.
fn grow(mut place: Pedigree, size: u32) -> String {
    let mut numbers: Stream = place.stream();
    if size == 0 {
        return format!("{:x}", numbers.random::<u8>());
    }
    match numbers.random_range(0..3u8) {
        0 => grow(place.child(), size - 1),
        1 => {
            let (left, right) = place.join(|p| grow(p, size - 1), |p| grow(p, size - 1));
            format!("({left}{right})")
        }
        _ => {
            let mut children = vec![String::new(); numbers.random_range(1..5)];
            filch::scope(|s| {
                for child in &mut children {
                    let place = place.child();
                    s.spawn(move |_| *child = grow(place, size - 1));
                }
            });
            format!("[{}]", children.concat())
        }
    }
}

#[test]
fn the_same_tree_on_any_number_of_workers() {
    let trees: Vec<String> = (0..20).map(|seed| grow(Pedigree::new(seed), 8)).collect();
    assert!(trees.iter().any(|tree| tree.len() > 1000), "some are large");
    assert!(trees.windows(2).all(|pair| pair[0] != pair[1]));
    on_pools(move |pool| {
        for (seed, tree) in (0..).zip(&trees) {
            for _ in 0..5 {
                assert_eq!(pool.install(|| grow(Pedigree::new(seed), 8)), *tree);
            }
        }
    });
}

/// The sequence of what a task hands out counts, not what its children do.
#[test]
fn children_do_not_disturb_their_parent() {
    let mut one = Pedigree::new(5);
    let mut other = Pedigree::new(5);
    let _ = one.child();
    let mut busy = other.child();
    (0..10).for_each(|_| _ = busy.stream());
    assert_eq!(one.stream(), other.stream());
    assert_ne!(one.stream(), Pedigree::new(5).stream());
}
