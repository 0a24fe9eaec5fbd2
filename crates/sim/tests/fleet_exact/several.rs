//! Many servers and many dispatchers.

use filch_policy::dispatch::Spec;
use filch_sim::fleet::Horizon;

use crate::{assert_mean, fleet, mean, replicated, run};

/// At random, every server is M/M/1 by itself, for any number of dispatchers: a mixture of
/// exponential laws, here of rates 2 − 0.5 and 1 − 0.5.
#[test]
fn random_splitting_is_independent_queues() {
    let servers = ["exp:0.5", "exp:0.5", "exp:1", "exp:1"];
    let fleet = fleet(&servers, 2.0, 1);
    for dispatchers in [1, 8] {
        let means = replicated("random", &fleet, dispatchers, 20_000.0, |run| {
            mean(&run.latencies)
        });
        assert_mean("mean", &means, (1.0 / 1.5 + 1.0 / 0.5) / 2.0);
        let tails = replicated("random", &fleet, dispatchers, 20_000.0, |run| {
            run.latencies.iter().filter(|&&time| time > 3.0).count() as f64
                / run.latencies.len() as f64
        });
        assert_mean("tail", &tails, ((-4.5f64).exp() + (-1.5f64).exp()) / 2.0);
    }
}

/// Of very many dispatchers each has hardly ever a request outstanding, so what they count is
/// nothing and `jsq` is `random`: M/M/1 again. With 20,000 of them and some 12 requests present,
/// one in a thousand arrivals finds one of its own; the mean is moved by less than that.
#[test]
fn many_dispatchers_see_nothing() {
    let fleet = fleet(&["exp:1"; 4], 0.75 * 4.0, 1);
    let means = replicated("jsq", &fleet, 20_000, 20_000.0, |run| mean(&run.latencies));
    assert_mean("jsq", &means, 4.0);
}

/// A single dispatcher sees everything: whether servers send tokens or its own count stands in for
/// them is the same, request by request, under every policy.
#[test]
fn one_dispatcher_needs_no_tokens() {
    let fleet = fleet(
        &["exp:10", "exp:10", "exp:1", "constant:1", "pareto:2.5:1"],
        2.0,
        3,
    );
    let length = Horizon {
        warm_up: 100.0,
        ..Horizon::of(2_000.0)
    };
    for policy in Spec::examples(2) {
        let policy = policy.to_string();
        let sent = run(&policy, &fleet, 1, true, length, 0);
        let own = run(&policy, &fleet, 1, false, length, 0);
        assert_eq!(sent, own, "{policy}");
    }
}

/// The same seed gives the same run; another replication gives another.
#[test]
fn runs_are_repeatable() {
    let fleet = fleet(&["exp:10", "exp:1", "exp:1"], 1.0, 1);
    let once =
        |policy, replication| run(policy, &fleet, 4, true, Horizon::of(1_000.0), replication);
    for policy in ["pi", "sed", "idle-fastest(sed)"] {
        assert_eq!(once(policy, 0), once(policy, 0));
        assert_ne!(once(policy, 0), once(policy, 1));
    }
    let requests = |policy| once(policy, 0).latencies.len();
    assert_eq!(
        requests("pi"),
        requests("random"),
        "both meet the same arrivals"
    );
}

/// Tokens are answers that leave a server idle: there are as many as busy periods that ended. At
/// random, a server of M/M/1 is left idle by the share 1 − ρ of its departures.
#[test]
fn tokens_are_counted() {
    let fleet = fleet(&["exp:1"; 3], 0.7 * 3.0, 1);
    let shares = replicated("random", &fleet, 2, 20_000.0, |run| {
        run.tokens as f64 / (run.latencies.len() as f64 / 0.95)
    });
    assert_mean("tokens", &shares, 0.3);
}

/// A policy that does not keep up is stopped: all to one server that serves half of it.
#[test]
fn what_cannot_keep_up_is_stopped() {
    let fleet = fleet(&["exp:1", "exp:1"], 2.0, 1);
    let outcome = run("last", &fleet, 1, true, Horizon::of(1e9), 0);
    // The walk grows by 1 a unit of time and is stopped at 100,000, give or take 10 standard
    // deviations of √(3 · 100,000).
    let ended = outcome.ended.expect("it does not keep up");
    assert!((ended - 100_000.0).abs() < 5_500.0, "{ended}");
    assert_eq!(outcome.sent.iter().filter(|&&sent| sent == 0).count(), 1);
}
