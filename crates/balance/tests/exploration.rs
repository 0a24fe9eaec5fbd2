//! No server is forgotten: one that was slow is tried again soon, and one that is new gets its
//! requests slowly.

use std::time::Duration;

use filch_balance::{AnswerNumber, Balancer, Clock, Lease, Options, Server, Told};
use filch_policy::dispatch::Spec;
use filch_random::Seed;

fn balancer(policy: &str, servers: usize) -> (Balancer<usize>, Clock) {
    let clock = Clock::manual();
    let options = Options {
        clock: clock.clone(),
        seed: Seed::new(1),
        ..Options::of(policy.parse::<Spec>().unwrap())
    };
    let balancer = Balancer::new(options, (0..servers).map(Server::new)).unwrap();
    (balancer, clock)
}

/// Sends one request after another, with such a pause after each, and returns the server of each.
/// It takes 1 ms, and 100 ms at server 0 if that is slow.
fn requests(
    balancer: &Balancer<usize>,
    clock: &Clock,
    pause: Duration,
) -> impl FnMut(bool) -> usize {
    let mut now = Duration::ZERO;
    move |slow| {
        let lease = balancer.lease().unwrap();
        let server = *lease.server();
        let service = if slow && server == 0 { 100 } else { 1 };
        now += Duration::from_millis(service);
        clock.set(now);
        lease.answered(Told::Silent);
        now += pause;
        clock.set(now);
        server
    }
}

/// Server 0 is a hundred times slower than the others for a while. Requests come one by one, one in
/// 2 ms, so the others suffice. It gets one in 512 all the same, after a quiet second.
#[test]
fn a_slow_server_is_probed() {
    for policy in [
        "sed",
        "considerate",
        "idle-fastest(sed)",
        "idle-fastest(considerate)",
    ] {
        let (balancer, clock) = balancer(policy, 4);
        let mut ask = requests(&balancer, &clock, Duration::from_millis(1));
        for _ in 0..2000 {
            ask(true);
        }
        let (mut gap, mut longest) = (0, 0);
        for _ in 0..5000 {
            gap = if ask(true) == 0 { 0 } else { gap + 1 };
            longest = longest.max(gap);
        }
        // 512 requests since the last probe, four until its turn comes, 500 that a second takes.
        assert!(longest <= 512 + 4 + 500, "{policy}: {longest}");
        // It recovers, and that is learned.
        for _ in 0..40_000 {
            ask(false);
        }
        let speed = balancer.state().servers[0].speed;
        assert!(speed > 300.0, "{policy}: {speed} of 1000");
    }
}

/// Server 0 is as fast as the others, and then a hundred times slower. It may recover as suddenly,
/// so it gets one request in 64, after a quiet second. Requests come one in 10 ms.
#[test]
fn a_server_that_was_faster_is_probed_more_often() {
    for policy in ["sed", "considerate", "idle-fastest(sed)"] {
        let (balancer, clock) = balancer(policy, 4);
        let mut ask = requests(&balancer, &clock, Duration::from_millis(9));
        // Longer than a server counts as new.
        for _ in 0..4000 {
            ask(false);
        }
        let (mut gap, mut longest) = (0, 0);
        for _ in 0..5000 {
            gap = if ask(true) == 0 { 0 } else { gap + 1 };
            longest = longest.max(gap);
        }
        // 64 requests since the last probe, four until its turn comes, 100 that a second takes.
        assert!(longest <= 64 + 4 + 100, "{policy}: {longest}");
    }
}

/// Half of 12 servers become thirty times slower. If they shared one request in 64, each would wait
/// for 6 · 64, which take 4 s, and some for ever, because turns and shares keep step. Instead each
/// is overdue after 256 requests, and gets one when its turn comes within 12. A request takes 40 ms
/// at most.
#[test]
fn servers_that_were_faster_do_not_wait_for_one_another() {
    for policy in ["sed", "considerate", "idle-fastest(sed)"] {
        let (balancer, clock) = balancer(policy, 12);
        let mut now = 0;
        let mut ask = |slow: bool| {
            let lease = balancer.lease().unwrap();
            let (server, sent) = (*lease.server(), now);
            now += if slow && server < 6 { 30 } else { 1 };
            clock.set(Duration::from_millis(now));
            lease.answered(Told::Silent);
            now += 9;
            clock.set(Duration::from_millis(now));
            (server, sent)
        };
        // Longer than servers count as new.
        for _ in 0..6000 {
            ask(false);
        }
        // In the first half it is learned that they are slow.
        let (mut last, mut longest) = ([u64::MAX; 6], 0);
        for request in 0..10_000 {
            let (server, sent) = ask(true);
            if server < 6 {
                if request >= 5000 {
                    longest = longest.max(sent.saturating_sub(last[server]));
                }
                last[server] = sent;
            }
        }
        assert!(last.iter().all(|&sent| sent != u64::MAX), "{policy}");
        assert!(longest <= (256 + 12) * 40, "{policy}: {longest} ms");
    }
}

/// Servers 1 to 9 are ten times slower than server 0, which suffices. The numbers of their answers
/// tell that other dispatchers send a hundred requests per second to each of the servers 2 to 9,
/// and none to server 1. Probes are for that one.
#[test]
fn a_server_that_all_dispatchers_leave_alone_is_probed_first() {
    let clock = Clock::manual();
    let options = Options {
        clock: clock.clone(),
        seed: Seed::new(1),
        ..Options::of("sed".parse::<Spec>().unwrap())
    };
    let servers = (0..10).map(|at| Server::new(at).tokens());
    let balancer = Balancer::new(options, servers).unwrap();
    let (mut millis, mut own, mut got) = (0, [0; 10], [0; 10]);
    for request in 0..40_000 {
        let lease = balancer.lease().unwrap();
        let server = *lease.server();
        millis += if server == 0 { 1 } else { 10 };
        clock.set(Duration::from_millis(millis));
        own[server] += 1;
        let others = if server < 2 { 0 } else { millis as u32 / 10 };
        let number = AnswerNumber {
            boot: 0,
            number: own[server] + others,
        };
        lease.answered(Told::Numbered { idle: true, number });
        millis += 9;
        // What the beginning shows, where nothing is known, does not count.
        if request >= 10_000 {
            got[server] += 1;
        }
    }
    let others = got[2..].iter().max().unwrap();
    assert!(got[1] > 4 * others, "{got:?}");
}

/// A server that joins gets one request, and one more at a time with each good answer.
#[test]
fn a_new_server_starts_slowly() {
    let (balancer, clock) = balancer("considerate", 3);
    let mut now = Duration::ZERO;
    for _ in 0..100 {
        let lease = balancer.lease().unwrap();
        now += Duration::from_millis(10);
        clock.set(now);
        lease.answered(Told::Silent);
    }
    balancer.insert(Server::new(9)).unwrap();
    let outstanding = || {
        let state = balancer.state();
        let new = state.servers.iter().find(|server| server.key == 9);
        new.unwrap().outstanding
    };
    let mut held: Vec<Lease<usize>> = Vec::new();
    for answers in 0..4 {
        held.extend((0..30).map(|_| balancer.lease().unwrap()));
        assert_eq!(outstanding(), 1 + answers);
        let at = held.iter().position(|lease| *lease.server() == 9).unwrap();
        now += Duration::from_millis(10);
        clock.set(now);
        held.swap_remove(at).answered(Told::Silent);
    }
    // Alone, it gets everything.
    (0..3).for_each(|key| balancer.set_up(&key, false));
    held.extend((0..30).map(|_| balancer.lease().unwrap()));
    assert!(outstanding() > 30);
}
