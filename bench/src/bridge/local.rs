//! What a value of one's own costs a worker.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::Mutex;
use std::time::Instant;

use filch::Pool;

use super::figures::median_of;
use super::{Row, Table};

pub(super) const TABLE: Table = Table {
    name: "local",
    about: "Nanoseconds to add one to a value of the current worker, median of 15 times 1,000,000; \
            one worker, and two at the same time.",
    numbers: &["one worker", "two"],
    rows,
};

const ADDITIONS: u64 = 1_000_000;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn rows() -> Vec<Row> {
    let rows = [1, 2].map(|threads| {
        let pool = Pool::new(threads).expect("the threads start");
        let measured = |add: &(dyn Fn() + Sync)| {
            median_of(15, || {
                let began = Instant::now();
                pool.broadcast(|_| (0..ADDITIONS).for_each(|_| add()));
                began.elapsed().as_nanos() as f64 / ADDITIONS as f64
            })
        };
        let local = pool.worker_local(|| Cell::new(0));
        let by_thread = thread_local::ThreadLocal::<Cell<u64>>::new();
        let locked: Vec<Mutex<u64>> = (0..8).map(|_| Mutex::new(0)).collect();
        let add = |count: &Cell<u64>| count.set(black_box(count.get() + 1));
        [
            measured(&|| local.with(add)),
            measured(&|| add(by_thread.get_or_default())),
            measured(&|| COUNT.with(add)),
            measured(&|| {
                let worker = filch::current_worker().unwrap_or(0);
                *locked[worker].lock().expect("no panic") += 1;
            }),
        ]
    });
    let names = [
        "WorkerLocal",
        "thread_local::ThreadLocal",
        "thread_local! of the program",
        "a Mutex for each worker",
    ];
    let row = |(index, name): (usize, _)| Row::new(name, rows.map(|row| row[index]));
    names.into_iter().enumerate().map(row).collect()
}
