//! The runtime on this machine: time against T1/P + T∞, and stacks against S1.

use std::cell::Cell as Slot;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use filch::{Pool, join};

use crate::chapters::Setting;
use crate::parallel;
use crate::values::{Axis, Cell, Chapter, Claim, Origin, Plot, Point, Series, Table};

pub(super) const TITLE: &str = "The runtime on this machine";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let workers = workers();
    let rounds = setting.scale.pick(5, 11, 31);
    let programs = programs(setting);
    setting.expect(programs.len() + STACK_WORKERS.len());
    let times: Vec<Times> = programs
        .iter()
        .map(|program| {
            let times = time(program, &workers, rounds);
            setting.tick();
            times
        })
        .collect();
    let plot = plot(setting, &programs, &workers, &times);
    let rows = programs.iter().zip(&times);
    let rows = rows.flat_map(|(program, times)| rows_of(program, &workers, times));
    let times = Table {
        title: "Time against T1/P + T∞, in milliseconds, median".to_owned(),
        columns: vec![
            "program",
            "work, nodes",
            "span, nodes",
            "workers",
            "time",
            "T1/P + T∞",
            "ratio",
        ],
        rows: rows.collect(),
    };
    let (claim, stacks) = stacks(setting);
    Chapter {
        id: "runtime",
        title: TITLE,
        text: "BL99 promises time T1/P + O(T∞) and space S1·P, here for real threads. The programs \
               fork at every node, without cut-off. The span T∞ is the number of nodes on a longest \
               path, at the price of a node that T1 gives. The stacks are those of jobs that \
               descend 64 frames of 1 KiB and join there, so that waiting workers are tempted to \
               pile up other jobs. These are measurements: the times differ from run to run."
            .to_owned(),
        measured: true,
        claims: vec![claim],
        tables: vec![times, stacks],
        plots: vec![plot],
    }
}

/// One worker, two, and so on up to one for each processor, doubling.
fn workers() -> Vec<usize> {
    let most = parallel::threads().get();
    let mut workers: Vec<usize> = std::iter::successors(Some(1), |workers| Some(workers * 2))
        .take_while(|&w| w < most)
        .collect();
    workers.push(most);
    workers
}

struct Program {
    name: String,
    /// Nodes in all, and on a longest path.
    work: u64,
    span: u64,
    run: Box<dyn Fn() -> u64 + Sync>,
}

fn programs(setting: &Setting<'_>) -> Vec<Program> {
    let n = setting.scale.pick(26, 31, 36);
    let depth = setting.scale.pick(14, 17, 21);
    vec![
        Program {
            name: format!("fib({n})"),
            work: 2 * fib(n + 1) - 1,
            span: n,
            run: Box::new(move || fib(black_box(n))),
        },
        Program {
            name: format!("tree of depth {depth} with leaves of some 200 ns"),
            work: (2 << depth) - 1,
            span: depth + 1,
            run: Box::new(move || tree(black_box(depth))),
        },
        Program {
            name: "comb: a chain of forks".to_owned(),
            work: 2 * COMB,
            span: COMB + 1,
            run: Box::new(|| comb(black_box(COMB))),
        },
    ]
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn tree(depth: u64) -> u64 {
    if depth == 0 {
        return leaf();
    }
    let (a, b) = join(|| tree(depth - 1), || tree(depth - 1));
    a.wrapping_add(b)
}

const COMB: u64 = 2000;

/// A spine whose every node forks one leaf: half of the nodes are on one path.
fn comb(left: u64) -> u64 {
    if left == 0 {
        return 0;
    }
    let (a, b) = join(|| comb(left - 1), leaf);
    a.wrapping_add(b)
}

fn leaf() -> u64 {
    (0..100).fold(black_box(1), |x: u64, i| {
        (x ^ i).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}

/// What one program took, and what was promised, on each number of workers, in milliseconds.
struct Times {
    taken: Vec<f64>,
    promised: Vec<f64>,
}

fn time(program: &Program, workers: &[usize], rounds: usize) -> Times {
    let on = |&workers: &usize| {
        let pool = Pool::new(workers).expect("threads for a pool");
        median_ms(rounds, || pool.install(|| (program.run)()))
    };
    let taken: Vec<f64> = workers.iter().map(on).collect();
    let part_of_span = program.span as f64 / program.work as f64;
    let promise = |&workers: &usize| taken[0] * (1.0 / workers as f64 + part_of_span);
    Times {
        promised: workers.iter().map(promise).collect(),
        taken,
    }
}

fn rows_of(program: &Program, workers: &[usize], times: &Times) -> Vec<Vec<Cell>> {
    let row = |at: usize| {
        let (taken, promised) = (times.taken[at], times.promised[at]);
        vec![
            program.name.clone().into(),
            program.work.into(),
            program.span.into(),
            (workers[at] as u64).into(),
            taken.into(),
            promised.into(),
            (taken / promised).into(),
        ]
    };
    (0..workers.len()).map(row).collect()
}

fn plot(setting: &Setting<'_>, programs: &[Program], workers: &[usize], times: &[Times]) -> Plot {
    let points = |values: &[f64]| -> Vec<Point> {
        let both = workers.iter().zip(values);
        both.map(|(&workers, &y)| Point {
            x: workers as f64,
            y,
            interval: None,
        })
        .collect()
    };
    let series = programs.iter().zip(times).flat_map(|(program, times)| {
        [
            Series {
                name: format!("{}, time", program.name),
                origin: Origin::Measured,
                points: points(&times.taken),
            },
            Series {
                name: format!("{}, T1/P + T∞", program.name),
                origin: Origin::Theory,
                points: points(&times.promised),
            },
        ]
    });
    Plot {
        id: "runtime-time".to_owned(),
        title: "Time on this machine, beside T1/P + T∞".to_owned(),
        x: Axis {
            label: "workers P",
            logarithmic: false,
        },
        y: Axis {
            label: "time, milliseconds",
            logarithmic: true,
        },
        series: series.collect(),
        command: format!(
            "filch reproduce --{} --seed {}",
            setting.scale.name(),
            setting.seed
        ),
    }
}

/// The median of some runs, after one that is not counted.
fn median_ms(rounds: usize, run: impl Fn() -> u64) -> f64 {
    black_box(run());
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let began = Instant::now();
            black_box(run());
            began.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[rounds / 2].as_secs_f64() * 1e3
}

const STACK_WORKERS: [usize; 3] = [1, 2, 8];
const JOBS: usize = 200;
const KIB: usize = 1024;
/// What a worker may use beyond S1: its own frames, and those of a thief.
const SLACK: usize = 16 * KIB;

/// The deepest stack of any worker, for 1, 2 and 8 workers.
fn stacks(setting: &Setting<'_>) -> (Claim, Table) {
    let used = STACK_WORKERS.map(|workers| {
        let used = deepest(workers);
        setting.tick();
        used
    });
    let serial = used[0].deepest;
    let most = serial + serial / 10 + SLACK;
    let worst = used.iter().map(|used| used.deepest).max().unwrap_or(0);
    let claim = Claim {
        claim: "no worker's stack grows past that of the serial program, so P workers need S1·P"
            .to_owned(),
        stated: "BL99, Theorem 5",
        checked: format!("{JOBS} jobs of 64 frames that join, on 2 and 8 workers"),
        found: format!(
            "S1 {} KiB, deepest worker {} KiB",
            serial / KIB,
            worst / KIB
        ),
        measured: Some(worst as f64),
        bound: Some(most as f64),
        holds: worst <= most,
    };
    let rows = STACK_WORKERS.iter().zip(&used).map(|(&workers, used)| {
        let kib = |bytes: usize| Cell::from((bytes / KIB) as u64);
        let bound = kib(serial * workers);
        vec![
            (workers as u64).into(),
            kib(used.deepest),
            kib(used.all),
            bound,
            used.steals.into(),
        ]
    });
    let table = Table {
        title: "Stacks, in KiB".to_owned(),
        columns: vec!["workers", "deepest worker", "all workers", "S1·P", "steals"],
        rows: rows.collect(),
    };
    (claim, table)
}

struct Used {
    deepest: usize,
    all: usize,
    steals: u64,
}

thread_local! {
    /// Where this worker's stack began.
    static BEGAN: Slot<usize> = const { Slot::new(0) };
}

fn deepest(workers: usize) -> Used {
    let depths: Vec<AtomicUsize> = (0..workers).map(|_| AtomicUsize::new(0)).collect();
    let pool = Pool::builder()
        .threads(workers)
        .start_handler(|_| BEGAN.set(here()))
        .build()
        .expect("threads for a pool");
    pool.scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|_| descend(64, &depths));
        }
    });
    let depths: Vec<usize> = depths.into_iter().map(AtomicUsize::into_inner).collect();
    Used {
        deepest: depths.iter().copied().max().unwrap_or(0),
        all: depths.iter().sum(),
        steals: pool.metrics().total().steals,
    }
}

/// An address in the caller's frame, or a little below it.
#[inline(never)]
fn here() -> usize {
    let local = 0u8;
    std::ptr::from_ref(black_box(&local)).addr()
}

#[inline(never)]
fn descend(frames: u32, depths: &[AtomicUsize]) {
    let frame = black_box([0u8; KIB]);
    if frames > 0 {
        descend(frames - 1, depths);
    } else {
        join(|| busy(200, depths), || busy(300, depths));
    }
    black_box(&frame);
}

/// Computes for so many microseconds and notes how deep the stack is.
fn busy(micros: u64, depths: &[AtomicUsize]) {
    let worker = filch::current_worker().expect("a job runs on a worker");
    depths[worker].fetch_max(BEGAN.get().saturating_sub(here()), Ordering::Relaxed);
    let began = Instant::now();
    while began.elapsed() < Duration::from_micros(micros) {
        black_box(leaf());
    }
}
