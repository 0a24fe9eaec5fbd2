//! Servers that serve several requests at a time, share processors or answer late, against exact
//! means.

use filch_random::Seed;
use filch_sim::fleet::{Answer, Fleet, FleetServer, Front, Horizon, Phase, simulate};
use filch_workload::{ArrivalTimes, ServiceTime};

use crate::{assert_mean, mean, replicated};

fn one(server: FleetServer<ServiceTime>, rate: f64) -> Fleet {
    Fleet::with(vec![server], ArrivalTimes::new(rate, 1).unwrap())
}

fn law(name: &str) -> ServiceTime {
    name.parse().unwrap()
}

/// The mean time in M/M/c with service rate 1: Erlang's C, by his recursion for B.
fn erlang(places: u32, rate: f64) -> f64 {
    let blocked = (1..=places).fold(1.0, |b, k| rate * b / (f64::from(k) + rate * b));
    let free = f64::from(places) - rate;
    let waits = f64::from(places) * blocked / (f64::from(places) - rate * (1.0 - blocked));
    1.0 + waits / free
}

#[test]
fn several_at_a_time_are_erlangs() {
    for (places, rate) in [(2, 1.6), (4, 3.2), (16, 14.0)] {
        let fleet = one(FleetServer::of(law("exp:1")).at_once(places), rate);
        let means = replicated("jsq", &fleet, 1, 20_000.0 / rate, |run| {
            mean(&run.latencies)
        });
        assert_mean(&format!("{places} places"), &means, erlang(places, rate));
    }
}

/// The mean time under processor sharing is S / (1 − ρ), whatever the law of service times.
#[test]
fn sharing_depends_on_the_mean_alone() {
    for name in ["exp:1", "constant:1", "pareto:2.5:1"] {
        let fleet = one(FleetServer::of(law(name)).sharing(), 0.6);
        let means = replicated("jsq", &fleet, 1, 20_000.0, |run| mean(&run.latencies));
        assert_mean(name, &means, 1.0 / 0.4);
    }
    // On four processors, exponential requests leave as from four places.
    let fleet = one(FleetServer::of(law("exp:1")).at_once(4).sharing(), 3.0);
    let means = replicated("jsq", &fleet, 1, 8_000.0, |run| mean(&run.latencies));
    assert_mean("four processors", &means, erlang(4, 3.0));
}

/// A dispatcher that sends everything to the first server and notes what it hears.
#[derive(Default)]
struct Listener {
    numbers: Vec<u32>,
    failed: u64,
    joined: Vec<(usize, f64)>,
}

impl Front for &mut Listener {
    type Lease = ();

    fn send(&mut self, _: f64) -> (usize, ()) {
        (0, ())
    }

    fn answered(&mut self, _: usize, (): (), answer: Answer, _: f64) {
        self.numbers.push(answer.number);
        self.failed += u64::from(answer.failed);
    }

    fn joined(&mut self, server: usize, now: f64) {
        self.joined.push((server, now));
    }
}

fn listen(fleet: &Fleet, until: f64) -> (Listener, Vec<f64>) {
    let mut listener = Listener::default();
    let fronts = vec![&mut listener];
    let outcome = simulate(fleet, fronts, Horizon::of(until), Seed::new(3), 0);
    (listener, outcome.latencies)
}

/// Answers that take time come later by their mean, and in another order than they were given.
#[test]
fn answers_overtake() {
    let server = || FleetServer::of(law("constant:1"));
    let at_once = one(server(), 0.5);
    let late = at_once.clone().answers_take(law("exp:5"));
    let (in_order, prompt) = listen(&at_once, 20_000.0);
    assert!(in_order.numbers.is_sorted());
    let (heard, latencies) = listen(&late, 20_000.0);
    let overtaken = heard.numbers.windows(2).filter(|pair| pair[0] > pair[1]);
    assert!(overtaken.count() > 1000);
    // 10,000 exponential delays: five standard deviations are 0.25.
    let longer = mean(&latencies) - mean(&prompt);
    assert!((4.75..5.25).contains(&longer), "{longer}");
}

#[test]
fn phases_and_failures_begin_when_they_say() {
    let server = FleetServer::of(law("constant:1"))
        .phase(Phase::slower(1000.0, 10.0))
        .phase(Phase::failing(2000.0, 1.0, 0.5));
    let (heard, latencies) = listen(&one(server, 0.01), 3000.0);
    // About ten in each phase; none meets another but by chance, which makes it longer.
    let near = |time: f64| move |it: &&f64| (*it - time).abs() < 1e-6;
    let count = |time: f64| latencies.iter().filter(near(time)).count();
    assert!(count(1.0) > 2 && count(10.0) > 2 && count(0.5) > 2);
    assert!(heard.failed >= count(0.5) as u64);
}

#[test]
fn dispatchers_hear_of_a_server_that_joins() {
    let servers = vec![
        FleetServer::of(law("exp:1")),
        FleetServer::of(law("exp:1")).joining(50.0),
    ];
    let fleet = Fleet::with(servers, ArrivalTimes::new(0.5, 1).unwrap());
    assert_eq!(listen(&fleet, 100.0).0.joined, [(1, 50.0)]);
}
