//! How soon a cancelled section ends, and what asking the token costs.

use std::hint::black_box;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use filch::{CancelScope, CancelToken, Cancelled, Pool};
use rayon::prelude::*;

use super::figures::{latency, median_of};
use super::{Row, Table};
use crate::clock::{spin, spins_per_us};

pub(super) const TABLE: Table = Table {
    name: "cancel",
    about: "Microseconds from the token to the end of a section of a million items of 1 µs on two \
            threads, 100 times: cancelled by another thread 5 ms after it began, or by its item \
            5,000; and milliseconds for a million items of a few nanoseconds that are not cancelled, \
            with the token and without, on one thread.",
    numbers: &["median", "p99", "largest", "with token", "without"],
    rows,
};

const ITEMS: usize = 1_000_000;
const REPETITIONS: usize = 100;
const AFTER: Duration = Duration::from_millis(5);

fn rows() -> Vec<Row> {
    let items: Vec<u64> = (0..ITEMS as u64).collect();
    let micro = spins_per_us() as u64;
    let one_micro = |_: &u64| _ = black_box(spin(black_box(micro)));
    let two = Pool::new(2).expect("the threads start");
    let end = |section: &(dyn Fn(&CancelToken) + Sync)| cancelled(&two, section);
    let rayon = |threads| {
        let rayon = rayon::ThreadPoolBuilder::new().num_threads(threads);
        rayon.build().expect("the threads start")
    };
    let short = |item: &u64| _ = black_box(spin(black_box(item % 4)));
    let (one, one_of_rayon) = (Pool::new(1).expect("the thread starts"), rayon(1));
    let alone = |section: &(dyn Fn() + Sync)| one.install(|| millis(section));
    let alone_on_rayon = |section: &(dyn Fn() + Sync)| one_of_rayon.install(|| millis(section));
    let never = CancelToken::new();
    let row = |name, latency: [f64; 3], with, without| {
        Row::new(name, [&latency[..], &[with, without]].concat())
    };
    let plain_pieces = alone(&|| plain_each(&items, ITEMS.div_ceil(1024), &short));
    let with_token = alone(&|| _ = never.for_each(&items, short));
    vec![
        row(
            "for_each, by an item",
            by_an_item(&two, &items, &one_micro),
            with_token,
            plain_pieces,
        ),
        row(
            "for_each",
            end(&|token| _ = token.for_each(&items, one_micro)),
            with_token,
            plain_pieces,
        ),
        row(
            "join, down to the items",
            end(&|token| _ = each(&items, token, &one_micro)),
            alone(&|| _ = each(&items, &never, &short)),
            alone(&|| plain_each(&items, 1, &short)),
        ),
        row(
            "scope, two children each",
            end(&|token| _ = token.scope(|s| children(&items, s, &one_micro))),
            alone(&|| _ = never.scope(|s| children(&items, s, &short))),
            alone(&|| filch::scope(|s| plain_children(&items, s, &short))),
        ),
        row(
            "rayon, try_for_each",
            on_rayon(&rayon(2), &items, &one_micro),
            alone_on_rayon(&|| _ = tried(&items, &never, &short)),
            alone_on_rayon(&|| items.par_iter().for_each(short)),
        ),
    ]
}

/// The item that cancels is one of the section: no third thread takes a processor.
fn by_an_item(pool: &Pool, items: &[u64], work: &(impl Fn(&u64) + Sync)) -> [f64; 3] {
    let samples = (0..REPETITIONS).map(|_| {
        let (token, at) = (CancelToken::new(), Mutex::new(None));
        let end = pool.install(|| {
            let _cancelled = token.for_each(items, |item| {
                work(item);
                if *item == 5_000 {
                    *at.lock().expect("no panic") = Some(Instant::now());
                    token.cancel();
                }
            });
            Instant::now()
        });
        let at = at.lock().expect("no panic").expect("the section is longer");
        end.saturating_duration_since(at)
    });
    latency(&samples.collect::<Vec<_>>())
}

/// Cancels the section again and again.
fn cancelled(pool: &Pool, section: &(dyn Fn(&CancelToken) + Sync)) -> [f64; 3] {
    ends(|token| {
        pool.install(|| {
            section(token);
            Instant::now()
        })
    })
}

/// From the token to the instant that `section` returns.
fn ends(section: impl Fn(&CancelToken) -> Instant) -> [f64; 3] {
    let samples = (0..REPETITIONS).map(|_| {
        let (token, at) = (CancelToken::new(), Mutex::new(None));
        thread::scope(|threads| {
            threads.spawn(|| {
                thread::sleep(AFTER);
                *at.lock().expect("no panic") = Some(Instant::now());
                token.cancel();
            });
            let end = section(&token);
            let at = at.lock().expect("no panic").expect("the section is longer");
            end.saturating_duration_since(at)
        })
    });
    latency(&samples.collect::<Vec<_>>())
}

fn millis(section: &(dyn Fn() + Sync)) -> f64 {
    median_of(9, || {
        let began = Instant::now();
        section();
        began.elapsed().as_nanos() as f64 / 1e6
    })
}

fn on_rayon(pool: &rayon::ThreadPool, items: &[u64], work: &(impl Fn(&u64) + Sync)) -> [f64; 3] {
    ends(|token| {
        pool.install(|| {
            let _cancelled = tried(items, token, work);
            Instant::now()
        })
    })
}

fn tried(
    items: &[u64],
    token: &CancelToken,
    work: &(impl Fn(&u64) + Sync),
) -> Result<(), Cancelled> {
    items.par_iter().try_for_each(|item| {
        token.check()?;
        work(item);
        Ok(())
    })
}

fn each(
    items: &[u64],
    token: &CancelToken,
    work: &(impl Fn(&u64) + Sync),
) -> Result<(), Cancelled> {
    if let [item] = items {
        work(item);
        return Ok(());
    }
    let (left, right) = items.split_at(items.len() / 2);
    let (left, right) = token.join(|| each(left, token, work), || each(right, token, work))?;
    left.and(right)
}

fn plain_each(items: &[u64], piece: usize, work: &(impl Fn(&u64) + Sync)) {
    if items.len() <= piece {
        return items.iter().for_each(work);
    }
    let (left, right) = items.split_at(items.len() / 2);
    filch::join(
        || plain_each(left, piece, work),
        || plain_each(right, piece, work),
    );
}

fn children<'s>(items: &'s [u64], scope: &CancelScope<'_, 's>, work: &'s (impl Fn(&u64) + Sync)) {
    if let [item] = items {
        return work(item);
    }
    let (left, right) = items.split_at(items.len() / 2);
    scope.spawn(move |scope| children(left, scope, work));
    scope.spawn(move |scope| children(right, scope, work));
}

fn plain_children<'s>(
    items: &'s [u64],
    scope: &filch::Scope<'s>,
    work: &'s (impl Fn(&u64) + Sync),
) {
    if let [item] = items {
        return work(item);
    }
    let (left, right) = items.split_at(items.len() / 2);
    scope.spawn(move |scope| plain_children(left, scope, work));
    scope.spawn(move |scope| plain_children(right, scope, work));
}
