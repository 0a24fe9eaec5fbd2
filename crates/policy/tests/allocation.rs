//! Routing a batch and hearing a token allocate nothing, whatever the policy.

mod common;

use common::{Farm, all_policies, stream};
use filch_policy::dispatch::{Dispatcher, Spec};

const CAPACITIES: [u32; 4] = [1, 2, 3, 4];

fn farm(policy: &Spec) -> Farm<Dispatcher> {
    let mut farm = Farm::new(&[1.0, 2.0, 3.0, 4.0], |view| policy.start(view).unwrap());
    farm.serve(&CAPACITIES); // takes the memory that serving needs
    farm
}

#[test]
fn nothing_is_allocated_while_routing() {
    for policy in all_policies() {
        for split in [false, true] {
            let mut rng = stream(1);
            let mut farm = farm(&policy);
            for slot in 0..200 {
                let jobs = slot % 13 + 1;
                let work = allocation_counter::measure(|| {
                    farm.route(jobs, split, &mut rng);
                    farm.serve(&CAPACITIES);
                });
                assert_eq!(work.count_total, 0, "{policy} allocated, split: {split}");
            }
        }
    }
}

/// A clone has the room that its original has reserved, at whatever moment it is made.
#[test]
fn nothing_is_allocated_while_a_clone_routes() {
    for policy in all_policies() {
        for split in [false, true] {
            let mut rng = stream(1);
            let mut farm = farm(&policy);
            for slot in 0..100 {
                let jobs = slot % 13 + 1;
                farm.dispatcher = farm.dispatcher.clone();
                farm.batch = farm.batch.clone();
                let routing = allocation_counter::measure(|| farm.route(jobs, split, &mut rng));
                farm.dispatcher = farm.dispatcher.clone();
                let serving = allocation_counter::measure(|| farm.serve(&CAPACITIES));
                assert_eq!(
                    (routing.count_total, serving.count_total),
                    (0, 0),
                    "a clone of {policy} allocated, split: {split}"
                );
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
