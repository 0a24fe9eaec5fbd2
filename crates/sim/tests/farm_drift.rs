//! Σ Q_i^{1+γ} at PI's sampling times: found where equation 16 says, and falling where Lemma 3.3
//! says.

use filch_random::{Purpose, Seed};
use filch_sim::farm::{Batches, Capacities, Class, Drift, Length, Line, Run, Servers, simulate};
use filch_stats::{Confidence, replications};
use filch_theory::farm::{FarmModel, Lemma33};
use filch_workload::Arrivals;
use filch_workload::streams::ARRIVALS;
use rand::RngExt;

fn servers(count: usize, capacity: &str) -> Servers {
    Servers::of(vec![Class::new("all", count, capacity.parse().unwrap())]).unwrap()
}

fn pi(mean: f64, gamma: f64) -> Run {
    Run {
        completions: false,
        drift: Some(gamma),
        ..Run::of(
            "pi".parse().unwrap(),
            Batches::Whole,
            Arrivals::poisson(mean).unwrap(),
        )
    }
}

/// Times, slots and change over all levels.
fn totals(drift: &Drift) -> [f64; 3] {
    let levels = drift.levels.iter();
    levels.fold([0.0; 3], |[times, slots, change], level| {
        [
            times + level.times as f64,
            slots + level.slots as f64,
            change + level.change,
        ]
    })
}

/// Equation 4 word for word, with LI drawn anew in every slot that begins with idle servers, also
/// when no job arrives, and Ω_t of equation 16 looked up in the state.
fn by_definition(mean: f64, gamma: f64, slots: u32, replication: u64) -> [f64; 3] {
    let seed = Seed::new(900);
    let servers = servers(3, "uniform:1.5");
    let mut capacities = Capacities::of(&servers, seed, replication);
    let mut batches = Arrivals::poisson(mean).unwrap().start().unwrap();
    let mut arriving = seed.stream(ARRIVALS, replication, 0);
    let mut choosing = seed.stream(Purpose::named("xi"), replication, 0);
    let (mut queues, mut last_idle) = ([0u32; 3], 0);
    let mut sampled: Option<(u32, f64)> = None;
    let mut totals = [0.0; 3];
    for slot in 1..=slots {
        let idle: Vec<usize> = (0..3).filter(|&server| queues[server] == 0).collect();
        if !idle.is_empty() {
            last_idle = idle[choosing.random_range(0..idle.len())];
        }
        queues[last_idle] += batches.next_batch(&mut arriving);
        capacities.draw(1);
        for (queue, capacity) in queues.iter_mut().zip(capacities.slot(0)) {
            *queue = queue.saturating_sub(*capacity);
        }
        if (0..3).any(|server| queues[server] == 0 && server != last_idle) {
            let value = queues
                .map(|queue| f64::from(queue).powf(1.0 + gamma))
                .iter()
                .sum();
            if let Some((before, from)) = sampled.replace((slot, value)) {
                totals[0] += 1.0;
                totals[1] += f64::from(slot - before);
                totals[2] += value - from;
            }
        }
    }
    totals
}

/// How many sampling times there are and how many slots lie between the first and the last, against
/// the definition on the same arrivals and capacities. Both differences are averaged over 40 runs;
/// a right program fails once in 10 000 times each.
#[test]
fn sampling_times_are_those_of_equation_16() {
    const SLOTS: u32 = 4000;
    for mean in [0.7, 2.5, 4.2] {
        let servers = servers(3, "uniform:1.5");
        let run = [pi(mean, 1.0)];
        let mut differences = [Vec::new(), Vec::new()];
        for replication in 0..40 {
            let length = Length::of(SLOTS);
            let outcome = simulate(&servers, &run, length, Seed::new(901), replication).unwrap();
            let found = totals(outcome[0].drift.as_ref().unwrap());
            let expected = by_definition(mean, 1.0, SLOTS, replication);
            differences[0].push(found[0] - expected[0]);
            differences[1].push(found[1] - expected[1]);
        }
        for differences in &differences {
            let level = Confidence::new(0.9999).unwrap();
            let estimate = replications(differences, level).unwrap();
            assert!(estimate.interval().contains(0.0), "{mean}: {estimate}");
            assert!(
                estimate.half_width < 0.05 * f64::from(SLOTS),
                "{mean}: {estimate}"
            );
        }
    }
}

/// Lemma 3.3 where it speaks: two servers at half load, of which one has more jobs than 𝒞 and the
/// other none. Until the next sampling time the one empties and the other walks near 0.
#[test]
fn outside_of_the_finite_set_the_drift_is_as_negative_as_promised() {
    let servers = servers(2, "uniform:1");
    let model = FarmModel {
        batch_mean: 1.0,
        batch_variance: 1.0,
        classes: vec![filch_theory::farm::ServerClass {
            count: 2,
            mean: 1.0,
            variance: 0.0,
            max: 1.0,
        }],
    };
    let lemma = Lemma33::of(&model).unwrap();
    let outside = 10f64.powf(lemma.log10_outside).ceil() as u32 + 1;
    let run = pi(1.0, lemma.gamma);
    let slots = outside + 10;
    let seed = Seed::new(902);
    let mut line = Line::start(&run, &servers, Length::of(slots), seed, 0)
        .unwrap()
        .from_queues(&[outside, 0]);
    let mut capacities = Capacities::of(&servers, seed, 0);
    let mut batches = run.arrivals.start().unwrap();
    let mut arriving = seed.stream(ARRIVALS, 0, 0);
    for _ in 0..slots {
        capacities.draw(1);
        line.slots(&[batches.next_batch(&mut arriving)], |_| capacities.slot(0));
    }
    let drift = line.finish().drift.unwrap();
    let level = drift.levels.last().unwrap();
    assert_eq!(level.times, 1, "{level:?}");
    assert_eq!(
        level.slots,
        u64::from(outside),
        "the long queue serves one job a slot"
    );
    assert!(
        level.change <= lemma.most_change(level.slots as f64),
        "{level:?}"
    );
}

/// While no server is idle, every batch goes to the Last-Idle server that the state names, however
/// long its queue is.
#[test]
fn a_state_names_the_last_idle_server() {
    let servers = servers(3, "uniform:1");
    let run = pi(2.0, 1.0);
    let seed = Seed::new(903);
    let mut line = Line::start(&run, &servers, Length::of(10), seed, 0)
        .unwrap()
        .from_state(&[50, 1000, 60], 1);
    let mut capacities = Capacities::of(&servers, seed, 0);
    for slot in 1..=10 {
        capacities.draw(1);
        line.slots(&[5], |_| capacities.slot(0));
        assert_eq!(line.queues(), [50 - slot, 1000 + 4 * slot, 60 - slot]);
    }
}
