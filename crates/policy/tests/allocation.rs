//! Routing a batch allocates nothing, whatever the policy.

mod common;

use common::{Farm, all_policies, stream};

#[test]
fn nothing_is_allocated_while_routing() {
    for policy in all_policies() {
        for split in [false, true] {
            let mut rng = stream(1);
            let mut farm = Farm::new(&[1.0, 2.0, 3.0, 4.0], |view| policy.start(view).unwrap());
            for slot in 0..200 {
                let jobs = slot % 13 + 1;
                let routing = allocation_counter::measure(|| farm.route(jobs, split, &mut rng));
                assert_eq!(routing.count_total, 0, "{policy} allocated, split: {split}");
                farm.serve(&[1, 2, 3, 4]);
            }
        }
    }
}

/// The counter counts: a test that finds no allocation proves nothing if it could not find one.
#[test]
fn the_counter_counts() {
    let one = allocation_counter::measure(|| drop(std::hint::black_box(Box::new(1))));
    assert_eq!(one.count_total, 1);
}
