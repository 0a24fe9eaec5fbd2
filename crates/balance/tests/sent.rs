//! Requests that are sent without a lease of their own.

use filch_balance::{Balancer, LeaseEnd, Options, Outcome, Server, Told};

fn balancer(servers: &[&'static str]) -> Balancer<&'static str> {
    let options = Options::of("jsq".parse().unwrap());
    Balancer::new(options, servers.iter().copied().map(Server::new)).unwrap()
}

#[test]
fn a_request_counts_until_it_is_given_back() {
    let balancer = balancer(&["a", "b"]);
    let (one, other) = (balancer.send().unwrap(), balancer.send().unwrap());
    assert_ne!(one.server(), other.server());
    assert!(one.on_token() && other.on_token());
    assert_eq!(balancer.state().in_flight, 2);
    balancer.give_back(one, LeaseEnd::Answered(Outcome::Good, Told::Silent));
    balancer.give_back(other, LeaseEnd::Unsent);
    let state = balancer.state();
    assert_eq!((state.in_flight, state.decisions), (0, 1));
    assert!(state.servers.iter().all(|it| it.outstanding == 0));
}

#[test]
fn leases_and_requests_are_the_same() {
    let balancer = balancer(&["a"]);
    let number = balancer.number_of(&"a").unwrap();
    assert_eq!(balancer.number_of(&"b"), None);
    let lease = balancer.lease().unwrap();
    assert_eq!((*lease.server(), lease.number()), ("a", number));
    let sent = lease.into_sent();
    assert_eq!(sent.server(), number);
    assert_eq!(balancer.state().in_flight, 1, "the lease was not returned");
    let lease = balancer.lease_of(sent).unwrap();
    assert_eq!(*lease.server(), "a");
    drop(lease);
    assert_eq!(balancer.state().in_flight, 0);
}

#[test]
fn a_server_that_has_left_has_no_lease() {
    let balancer = balancer(&["a"]);
    let sent = balancer.send().unwrap();
    balancer.remove(&"a");
    // Another server has the number now.
    balancer.insert(Server::new("b")).unwrap();
    assert_eq!(balancer.number_of(&"b"), Some(sent.server()));
    assert!(balancer.lease_of(sent).is_none());
    let state = balancer.state();
    assert_eq!((state.in_flight, state.servers[0].outstanding), (0, 0));
}
