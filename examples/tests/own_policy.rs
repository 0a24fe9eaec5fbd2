//! The policy of the example against a closed form, and a policy, arrivals and capacities of one's
//! own against the built-in ones that do the same. This crate uses `filch-sim` as any other program
//! would: through its prelude.

#[expect(dead_code, reason = "the example's main is not called")]
#[path = "../own_policy.rs"]
mod own_policy;

use filch_sim::farm::plain;
use filch_sim::fleet::{self, Fleet, Horizon, PolicyFront};
use filch_sim::prelude::*;
use filch_sim::workload::{ArrivalTimes, ServiceTime};
use filch_stats::{Confidence, replications};
use own_policy::{BySpeed, farm};

/// A queue in slots with an arrival of probability a and a service of probability s goes up with
/// probability a (1 − s) and down with probability s (1 − a). So it is geometric with ratio
/// ρ = a (1 − s) / (s (1 − a)) in the long run, with mean ρ / (1 − ρ).
fn mean_queue(a: f64, s: f64) -> f64 {
    let ratio = a * (1.0 - s) / (s * (1.0 - a));
    ratio / (1.0 - ratio)
}

/// Under `BySpeed` each server meets arrivals of its own, of probability 0.63 · speed / 0.9,
/// independent from slot to slot. Two comparisons, by Student's interval over replications: a right
/// program fails one of them with probability 2 · 10⁻⁶.
#[test]
fn queues_and_completion_times_are_exact() {
    const SLOTS: u32 = 200_000;
    let exact = 2.0 * mean_queue(0.63 * 0.2 / 0.9, 0.2) + mean_queue(0.63 * 0.5 / 0.9, 0.5);
    let outcomes: Vec<_> = (0..32)
        .map(|replication| farm(BySpeed, Length::of(SLOTS), replication))
        .collect();
    let queues = |outcome: &FarmOutcome<BySpeed>| outcome.waited as f64 / f64::from(SLOTS);
    assert_mean("queue", outcomes.iter().map(queues), exact);

    // Little's law; a job that is served in the slot of its arrival takes one slot.
    let times = |outcome: &FarmOutcome<BySpeed>| {
        let counts = &outcome.completions.as_ref().expect("timed").counts;
        let (mut sum, mut jobs) = (0, 0);
        for (slots, count) in counts {
            sum += slots * count;
            jobs += count;
        }
        sum as f64 / jobs as f64
    };
    assert_mean("time", outcomes.iter().map(times), 1.0 + exact / 0.63);
}

/// The mean of `values`, one from each replication, is `exact`, and known to within 3 %.
#[track_caller]
fn assert_mean(what: &str, values: impl Iterator<Item = f64>, exact: f64) {
    let level = Confidence::new(1.0 - 1e-6).expect("a level");
    let estimate = replications(&values.collect::<Vec<_>>(), level).expect("many values");
    assert!(
        estimate.interval().contains(exact),
        "{what}: {estimate}, exactly {exact}"
    );
    assert!(
        estimate.half_width < 0.03 * exact,
        "{what}: {estimate}, exactly {exact}"
    );
}

/// `random` once more.
#[derive(Clone, Debug)]
struct Anywhere;

impl Dispatch for Anywhere {
    fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, rng: &mut R) -> usize {
        rng.random_range(0..view.servers())
    }
}

/// `constant:3` once more, both as arrivals and as capacities.
#[derive(Clone, Debug)]
struct Three;

impl Arrive for Three {
    fn next_batch<R: Rng + ?Sized>(&mut self, _: &mut R) -> u32 {
        3
    }
}

impl Serve for Three {
    fn mean(&self) -> f64 {
        3.0
    }

    fn sample<R: Rng + ?Sized>(&mut self, _: &mut R) -> u32 {
        3
    }
}

/// Policies draw from the same stream, whether they are built in or not: the same runs come out,
/// from the farm and from the plain farm.
#[test]
fn a_policy_of_ones_own_draws_as_a_built_in_one() {
    let (length, seed) = (Length::of(5000), Seed::new(7));
    let capacity = || "constant:3".parse().expect("a capacity");
    let named_servers = Servers::of(vec![Class::new("all", 4, capacity())]).expect("servers");
    let own_servers = Servers::of(vec![Class::with("all", 4, Three)]).expect("servers");
    let policy = "random".parse().expect("a policy");
    let arrivals = "constant:3".parse().expect("arrivals");
    let named = [Run::of(policy, Batches::Whole, arrivals)];
    let own = [Run::with(Anywhere, Batches::Whole, Three)];

    let built_in = simulate(&named_servers, &named, length, seed, 0).expect("good runs");
    let ours = simulate(&own_servers, &own, length, seed, 0).expect("good runs");
    assert_eq!(built_in[0].trajectory, ours[0].trajectory);
    assert_eq!(built_in[0].completions, ours[0].completions);
    let plain = plain::simulate(&own_servers, &own[0], length, seed, 0).expect("a good run");
    assert_eq!(plain.waited, ours[0].waited);
}

/// In the fleet too.
#[test]
fn the_fleet_takes_any_policy() {
    let servers = vec![ServiceTime::exponential(1.0).expect("a mean"); 3];
    let fleet = Fleet::of(servers, ArrivalTimes::new(2.0, 1).expect("a rate"));
    let (length, seed) = (Horizon::of(1000.0), Seed::new(7));
    let policy = "random".parse().expect("a policy");
    let named = PolicyFront::fronts(policy, &fleet, 2, true, seed, 0).expect("servers");
    let own = PolicyFront::with(&Anywhere, &fleet, 2, true, seed, 0).expect("servers");
    let built_in = fleet::simulate(&fleet, named, length, seed, 0);
    assert_eq!(built_in, fleet::simulate(&fleet, own, length, seed, 0));
}

/// Decides what no policy may decide.
#[derive(Clone, Debug)]
enum Wrong {
    Beyond,
    Forgets,
}

impl Dispatch for Wrong {
    fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, _: &mut R) -> usize {
        view.servers()
    }

    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        _: &mut R,
        out: &mut Assignment,
    ) {
        out.clear();
        match self {
            Self::Beyond => out.give(view.servers(), jobs),
            Self::Forgets => out.give(0, jobs - 1),
        }
    }
}

/// A wrong policy is found out at its first decision.
#[test]
fn wrong_decisions_are_refused() {
    for (policy, batches, message) in [
        (
            Wrong::Beyond,
            Batches::Whole,
            "a server that does not exist",
        ),
        (
            Wrong::Beyond,
            Batches::Split,
            "a server that does not exist",
        ),
        (Wrong::Forgets, Batches::Split, "assigned 2 of 3 jobs"),
    ] {
        let simulated = std::panic::catch_unwind(|| {
            let servers = Servers::of(vec![Class::with("all", 3, Three)]).expect("servers");
            let runs = [Run::with(policy, batches, Three)];
            simulate(&servers, &runs, Length::of(10), Seed::new(1), 0).map(drop)
        });
        let panic = simulated.expect_err("refused");
        let text = panic.downcast_ref::<String>().map_or_else(
            || panic.downcast_ref::<&str>().copied().unwrap_or_default(),
            String::as_str,
        );
        assert!(text.contains(message), "{text}");
    }
}
