//! No worker sleeps while there is work for it.

use super::*;

/// The first closure ends only after the second has begun: an idle worker has to come for it.
#[test]
fn an_idle_worker_comes_for_a_fork() {
    check_both(2, |pool| {
        let gate = Gate::new();
        pool.join(|| gate.pass(), || gate.open());
    });
}

/// Two forks, one after the other, that both need another worker.
#[test]
fn idle_workers_come_for_every_fork() {
    check_both(3, |pool| {
        let (first, second) = (Gate::new(), Gate::new());
        pool.join(
            || first.pass(),
            || {
                first.open();
                join(|| second.pass(), || second.open())
            },
        );
    });
}

/// A worker waits for a stolen child, which needs that worker: there is no third one.
#[test]
fn a_waiting_worker_helps_below() {
    check_both(2, |pool| {
        let (stolen, helped) = (Gate::new(), Gate::new());
        pool.join(
            || stolen.pass(),
            || {
                stolen.open();
                join(|| helped.pass(), || helped.open())
            },
        );
    });
}

/// The same twice: the waiting worker has to be woken for each.
#[test]
fn a_waiting_worker_helps_below_twice() {
    check_both(2, |pool| {
        let gates = [Gate::new(), Gate::new(), Gate::new()];
        let [stolen, first, second] = &gates;
        pool.join(
            || stolen.pass(),
            || {
                stolen.open();
                join(|| first.pass(), || first.open());
                join(|| second.pass(), || second.open());
            },
        );
    });
}

/// The child of a scope needs the worker that waits for the scope.
#[test]
fn a_scope_helps_below() {
    check_both(2, |pool| {
        let (stolen, helped) = (Gate::new(), Gate::new());
        pool.scope(|s| {
            s.spawn(|_| {
                stolen.open();
                join(|| helped.pass(), || helped.open());
            });
            stolen.pass();
        });
    });
}

/// A thief helps below its own join and returns to the child that it has stolen. The waiter for
/// that child fell asleep meanwhile, and is needed when the child forks again.
#[test]
fn a_waiting_worker_is_not_forgotten_while_its_thief_helps() {
    check_both(3, |pool| {
        let gates: [_; 5] = std::array::from_fn(|_| Gate::new());
        let [stolen, deep, nested, kept, last] = &gates;
        let blocker = {
            let (kept, last) = (Arc::clone(kept), Arc::clone(last));
            move || {
                kept.open();
                last.pass();
            }
        };
        pool.join(
            || stolen.pass(),
            || {
                stolen.open();
                // A third worker takes the second closure, whose own second closure may come back
                // here. Then it runs a job that keeps it busy, so only one worker is left for the
                // last fork.
                join(
                    || deep.pass(),
                    || {
                        deep.open();
                        join(
                            || nested.pass(),
                            || {
                                nested.open();
                                join(|| (), || ());
                            },
                        );
                        drop(filch::spawn(blocker));
                    },
                );
                kept.pass();
                join(|| last.pass(), || last.open());
            },
        );
    });
}

/// A child of a scope that was spawned from outside is taken by any worker, whatever the steal
/// function says. Its own worker is busy until it has run.
#[test]
fn an_idle_worker_comes_for_a_child_that_the_steal_function_leaves() {
    for idle in [IdlePolicy::default(), IdlePolicy::Park] {
        check(move || {
            let quarter: StealFunction = "fraction:4".parse().unwrap();
            let builder = builder(2).idle(idle).steal(quarter).spare_threads(0);
            let pool = builder.dispatch("last".parse().unwrap()).build().unwrap();
            let gate = Gate::new();
            pool.in_place_scope(|s| {
                s.spawn(|_| gate.pass());
                s.spawn(|_| gate.open());
            });
        });
    }
}

/// The same for a call from another pool.
#[test]
fn an_idle_worker_comes_for_a_call_that_the_steal_function_leaves() {
    check(|| {
        let quarter: StealFunction = "fraction:4".parse().unwrap();
        let called = builder(2).steal(quarter).spare_threads(0);
        let called = called.dispatch("last".parse().unwrap()).build().unwrap();
        let calling = builder(2).build().unwrap();
        let gate = Gate::new();
        calling.join(
            || called.install(|| gate.pass()),
            || called.install(|| gate.open()),
        );
    });
}
