//! Requests answered group by group, against a plain program that draws in the same order.

use filch_policy::steal::Steal;
use filch_random::{Purpose, Seed, Stream};
use filch_sim::natural::StepCounts;
use filch_workload::streams::REQUESTS;
use rand::{Rng, RngExt};

use crate::{PLACEMENTS, process};

/// A uniform number below `n`, as the simulator draws it.
fn below(n: u64, rng: &mut Stream) -> usize {
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(n);
        if product as u64 >= n.wrapping_neg() % n {
            return (product >> 64) as usize;
        }
    }
}

/// Parts 3 to 5 of Figure 1 on plain numbers: all victims first, then the recipients of each group.
fn plain_step(
    queues: &mut [u64],
    size: usize,
    jobs: impl Fn(u64) -> u64,
    rng: &mut Stream,
) -> (u64, u64) {
    let n = queues.len();
    let empty: Vec<usize> = (0..n).filter(|&i| queues[i] == 0).collect();
    let asked: Vec<usize> = empty.iter().map(|_| below(n as u64, rng)).collect();
    let mut chosen: Vec<Option<(u64, usize)>> = vec![None; n];
    for group in 0..n.div_ceil(size) {
        for (&recipient, &victim) in empty.iter().zip(&asked) {
            if victim / size != group || queues[victim] < 2 {
                continue;
            }
            chosen[victim] = Some(match chosen[victim] {
                None => (1, recipient),
                Some((requests, before)) => {
                    let replaces = below(requests + 1, rng) == 0;
                    (requests + 1, if replaces { recipient } else { before })
                }
            });
        }
    }
    let mut moved = 0;
    let before = queues.to_vec();
    for (victim, chosen) in chosen.into_iter().enumerate() {
        if let Some((_, recipient)) = chosen {
            let jobs = jobs(before[victim]).min(before[victim] / 2);
            queues[victim] -= jobs;
            queues[recipient] += jobs;
            moved += jobs;
        }
    }
    for queue in queues {
        *queue = queue.saturating_sub(1);
    }
    (empty.len() as u64, moved)
}

/// The same queues after every step, for groups of every size and queues of every length.
#[test]
fn as_a_plain_program() {
    let mut random = Seed::new(5).stream(Purpose::named("tests"), 0, 0);
    for case in 0..60 {
        // Every fourth case has so few groups that requests are drawn in several spans.
        let (n, size) = if case % 4 == 0 {
            let n = random.random_range(1000..2000);
            (n, 1 << random.random_range(9..12))
        } else {
            let n = random.random_range(1..400);
            (n, 1 << random.random_range(0..10))
        };
        let steal = ["half", "one", "sqrt", "fraction:3", "const:5000000000"][case % 5];
        let process = process(n, 0.0, steal, "one");
        let mut queues: Vec<u64> = (0..n)
            .map(|_| match random.random_range(0..20) {
                0..10 => 0,
                10..18 => random.random_range(0..40),
                18 => random.random_range(0..1 << 20),
                _ => random.random_range(0..1 << 36),
            })
            .collect();
        let mut chain = process.fast(9, case as u64).in_groups_of(size);
        for (processor, &jobs) in queues.iter().enumerate() {
            chain.put(processor, jobs);
        }
        let mut rng = Seed::new(9).stream(REQUESTS, case as u64, 0);
        for _ in 0..30 {
            let step = chain.step();
            let jobs = |load| process.steal.jobs(load);
            let (requests, moved) = plain_step(&mut queues, size, jobs, &mut rng);
            assert!(chain.queues().lengths().eq(queues.iter().copied()));
            assert_eq!((step.requests, step.moved), (requests, moved));
            assert_eq!(Some(step.longest), queues.iter().copied().max());
        }
    }
}

/// Jobs are neither lost nor made up.
#[test]
fn jobs_are_conserved() {
    for placement in PLACEMENTS {
        let mut chain = process(300, 0.8, "half", placement).fast(2, 0);
        chain.put(7, 1 << 40);
        let (mut chain, mut load) = (chain.in_groups_of(32), 1 << 40);
        for _ in 0..300 {
            let StepCounts {
                generated, served, ..
            } = chain.step();
            load = load + generated - served;
            assert_eq!(chain.load(), load);
            assert_eq!(chain.queues().lengths().sum::<u64>(), load);
        }
    }
}

/// More processors than a cache holds queues of: a chain is grouped of itself.
#[test]
fn many_processors_are_grouped() {
    let process = process((1 << 20) + 1, 0.9, "half", "uniform");
    let mut chain = process.fast(1, 0);
    let mut grouped = process.fast(1, 0).in_groups_of(1 << 17);
    for _ in 0..4 {
        assert_eq!(chain.step(), grouped.step());
    }
    assert_eq!(chain.queues(), grouped.queues());
}
