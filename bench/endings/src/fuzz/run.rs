//! Evaluating a program on rayon.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use rayon::prelude::*;
use rayon::{Scope, ThreadPoolBuilder, Yield};

use super::pools::CountingPool;
use super::program::{Node, PANIC, PanicIn, Program, Section, leaf, share};
use super::{section, waits};

/// The pools of a program; spawned jobs share them.
type Pools = Arc<[CountingPool]>;

static LOCK: Mutex<()> = Mutex::new(());

/// The value of a program.
pub(super) fn value(program: &Program) -> u64 {
    let pools: Pools = program.pools.iter().map(CountingPool::new).collect();
    let sections = program.sections.iter();
    let values = sections.map(|section| section_value(section, &pools));
    values.fold(0, u64::wrapping_add)
}

fn section_value<'p>(section: &'p Section, pools: &'p Pools) -> u64 {
    let trees = match section {
        Section::Blocking(form, items) => {
            return section::value(*form, *items, &pools[0].pool);
        }
        Section::Trees(trees) => trees,
    };
    thread::scope(|threads| {
        let start = |(pool, tree): &'p (usize, Node)| {
            threads.spawn(move || pools[*pool].pool.install(|| evaluate(tree, pools)))
        };
        let threads: Vec<_> = trees.iter().map(start).collect();
        let values = threads.into_iter().map(|thread| thread.join());
        values.fold(0, |sum: u64, value| {
            sum.wrapping_add(value.expect("no tree panics"))
        })
    })
}

/// Computes for a while.
pub(super) fn compute(spins: u32) -> u64 {
    (0..spins).for_each(|spin| {
        black_box(spin);
    });
    leaf(spins)
}

/// Runs other work until `is_done`.
fn yield_until(mut is_done: impl FnMut() -> bool) {
    while !is_done() {
        if rayon::yield_now() != Some(Yield::Executed) {
            thread::yield_now();
        }
    }
}

fn evaluate(node: &Node, pools: &Pools) -> u64 {
    match node {
        Node::Leaf(spins) => compute(*spins),
        Node::Join(a, b) => {
            let (a, b) = rayon::join(|| evaluate(a, pools), || evaluate(b, pools));
            a.wrapping_add(b)
        }
        Node::Iter(len, most, node) => {
            let items = (0..*len).into_par_iter().with_max_len(*most as usize);
            items
                .map(|_| evaluate(node, pools))
                .reduce(|| 0, u64::wrapping_add)
        }
        Node::Bridge(len, node) => {
            let items = (0..*len).par_bridge().map(|_| evaluate(node, pools));
            items.reduce(|| 0, u64::wrapping_add)
        }
        Node::Scope(in_order, nodes) => scope(*in_order, nodes, pools),
        Node::Chain(length) => {
            let count = AtomicU64::new(0);
            rayon::scope(|s| chain(s, *length, &count));
            count.into_inner()
        }
        Node::InPlace(pool, nodes) => {
            let sum = AtomicU64::new(0);
            pools[*pool].pool.in_place_scope(|s| {
                for node in nodes {
                    s.spawn(|_| add(&sum, evaluate(node, pools)));
                }
            });
            sum.into_inner()
        }
        Node::Install(pool, node) => pools[*pool].pool.install(|| evaluate(node, pools)),
        Node::Broadcast(pool, spins) => {
            let shares = pools[*pool].pool.broadcast(|context| {
                compute(*spins);
                share(context.index(), *spins)
            });
            shares.into_iter().fold(0, u64::wrapping_add)
        }
        Node::SpawnBroadcast(pool, spins) => spawn_broadcast(&pools[*pool], *spins),
        Node::Spawn(pool, in_order, node) => spawn(*pool, *in_order, node, pools),
        Node::Channel(items) => yielding_channel(*items),
        Node::Panic(place, node) => panicking(*place, node, pools),
        Node::SpawnedPanic(pool) => {
            let CountingPool { pool, panics } = &pools[*pool];
            let before = panics.load(Ordering::SeqCst);
            pool.spawn(|| panic!("a spawned job"));
            yield_until(|| panics.load(Ordering::SeqCst) > before);
            PANIC
        }
        Node::Locked(spins) => {
            let _held = LOCK.lock().expect("no holder panics");
            compute(*spins)
        }
        Node::Yield(times, node) => {
            for _ in 0..*times {
                rayon::yield_now();
                rayon::yield_local();
            }
            evaluate(node, pools)
        }
        Node::Wait(pool, wait, times) => waits::value(*wait, *times, &pools[*pool].pool),
        Node::OwnPool(threads, node) => {
            let own = ThreadPoolBuilder::new().num_threads(*threads).build();
            let own = own.expect("the system gives threads");
            own.install(|| evaluate(node, pools))
        }
        Node::ScopeBroadcast(pool, spins) => {
            let sum = AtomicU64::new(0);
            pools[*pool].pool.scope(|s| {
                s.spawn_broadcast(|_, context| {
                    compute(*spins);
                    add(&sum, share(context.index(), *spins));
                });
            });
            sum.into_inner()
        }
        Node::Indexed(node) => {
            let index = rayon::current_thread_index();
            let value = evaluate(node, pools);
            let is_same = index == rayon::current_thread_index();
            let is_low = index < Some(rayon::current_num_threads());
            value.wrapping_add(u64::from(index.is_none() || !is_same || !is_low))
        }
    }
}

fn add(sum: &AtomicU64, value: u64) {
    sum.fetch_add(value, Ordering::SeqCst);
}

fn scope(in_order: bool, nodes: &[Node], pools: &Pools) -> u64 {
    let sum = AtomicU64::new(0);
    let child = |node| add(&sum, evaluate(node, pools));
    if in_order {
        rayon::scope_fifo(|s| {
            for node in nodes {
                s.spawn_fifo(|_| child(node));
            }
        });
    } else {
        rayon::scope(|s| {
            for node in nodes {
                s.spawn(|_| child(node));
            }
        });
    }
    sum.into_inner()
}

/// Each child spawns the next one, some of them from within a join.
fn chain<'scope>(s: &Scope<'scope>, length: u32, count: &'scope AtomicU64) {
    if length == 0 {
        return;
    }
    s.spawn(move |s| {
        add(count, 1);
        if length.is_multiple_of(3) {
            rayon::join(|| compute(length), || chain(s, length - 1, count));
        } else {
            chain(s, length - 1, count);
        }
    });
}

fn spawn_broadcast(pool: &CountingPool, spins: u32) -> u64 {
    let (sum, left) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicUsize::new(0)));
    left.store(pool.pool.current_num_threads(), Ordering::SeqCst);
    let (shared_sum, shared_left) = (Arc::clone(&sum), Arc::clone(&left));
    pool.pool.spawn_broadcast(move |context| {
        compute(spins);
        add(&shared_sum, share(context.index(), spins));
        shared_left.fetch_sub(1, Ordering::SeqCst);
    });
    yield_until(|| left.load(Ordering::SeqCst) == 0);
    sum.load(Ordering::SeqCst)
}

fn spawn(pool: usize, in_order: bool, node: &Arc<Node>, pools: &Pools) -> u64 {
    let (send, receive) = channel();
    let (node, shared) = (Arc::clone(node), Arc::clone(pools));
    let job = move || {
        // The reader has gone if it was taken along by a panic.
        let _read = send.send(evaluate(&node, &shared));
    };
    if in_order {
        pools[pool].pool.spawn_fifo(job);
    } else {
        pools[pool].pool.spawn(job);
    }
    let mut value = None;
    yield_until(|| {
        value = value.or(receive.try_recv().ok());
        value.is_some()
    });
    value.unwrap_or_default()
}

fn yielding_channel(items: u32) -> u64 {
    let (send, receive) = channel();
    rayon::spawn(move || {
        for item in 0..u64::from(items) {
            send.send(item).expect("it is read");
        }
    });
    let mut sum = 0;
    yield_until(|| match receive.try_recv() {
        Ok(item) => {
            sum += item;
            false
        }
        Err(TryRecvError::Empty) => false,
        Err(TryRecvError::Disconnected) => true,
    });
    sum
}

fn panicking(place: PanicIn, node: &Node, pools: &Pools) -> u64 {
    let fails = || -> u64 { panic!("a part") };
    let value = || evaluate(node, pools);
    let caught = catch_unwind(AssertUnwindSafe(|| match place {
        PanicIn::First => rayon::join(fails, value).1,
        PanicIn::Second => rayon::join(value, fails).0,
        PanicIn::Iter => {
            let items = (0..10).into_par_iter().with_max_len(1);
            let items = items.map(|item| if item == 7 { fails() } else { value() });
            items.reduce(|| 0, u64::wrapping_add)
        }
        PanicIn::Child => {
            rayon::scope(|s| {
                s.spawn(|_| {
                    fails();
                });
                s.spawn(|_| {
                    value();
                });
            });
            0
        }
    }));
    match caught {
        Err(payload) if payload.downcast_ref() == Some(&"a part") => PANIC,
        _ => 0,
    }
}
