//! The programs. Their leaves say how long they took, and so work and span are known.

mod leaf;
mod matmul;
mod quicksort;
mod shapes;
mod taken;

use std::time::Duration;

use filch::Pool;

pub(crate) use leaf::Leaf;
pub(crate) use taken::Taken;

/// A program to record, to predict and to measure.
pub(crate) struct Program {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Makes its input; what is returned is the program.
    make: fn() -> Run,
    /// Whether its leaves sleep, so that more threads than processors can run it.
    #[cfg_attr(not(feature = "table"), expect(dead_code, reason = "for the table"))]
    pub(crate) sleeps: bool,
}

/// A program with its input. It returns its work and span, if its leaves tell.
type Run = Box<dyn FnOnce() -> Option<Taken> + Send>;

const fn micros(time: u64) -> Duration {
    Duration::from_micros(time)
}

const SPINS: Leaf = Leaf::Spins;
const SLEEPS: Leaf = Leaf::Sleeps;

impl Program {
    /// All of them.
    pub(crate) const ALL: &[Self] = &[
        Self {
            name: "fib",
            make: || Box::new(|| Some(shapes::fib(16, SPINS, micros(50)))),
            sleeps: false,
        },
        Self {
            name: "fib-fine",
            make: || {
                Box::new(|| {
                    std::hint::black_box(shapes::plain_fib(std::hint::black_box(30)));
                    None
                })
            },
            sleeps: false,
        },
        Self {
            name: "chain",
            make: || Box::new(|| Some(shapes::chain(100, SPINS, micros(300)))),
            sleeps: false,
        },
        Self {
            name: "tree",
            make: || Box::new(|| Some(shapes::tree(11, SPINS, micros(50)))),
            sleeps: false,
        },
        Self {
            name: "uneven",
            make: || Box::new(|| Some(shapes::uneven(0, 512, SPINS, micros(40)))),
            sleeps: false,
        },
        Self {
            name: "scope",
            // Spawning takes some tens of nanoseconds for each child, which no leaf tells: 100 of
            // them are below 1 % of the span.
            make: || Box::new(|| Some(shapes::spawns(100, SPINS, micros(900)))),
            sleeps: false,
        },
        Self {
            name: "quicksort",
            make: || {
                let mut numbers = quicksort::numbers(3_000_000);
                Box::new(move || {
                    quicksort::sort(&mut numbers);
                    None
                })
            },
            sleeps: false,
        },
        Self {
            name: "matmul",
            make: || {
                let mut product = matmul::Product::of_size(512);
                Box::new(move || {
                    product.compute();
                    None
                })
            },
            sleeps: false,
        },
        Self {
            name: "sleeping fib",
            make: || Box::new(|| Some(shapes::fib(12, SLEEPS, micros(2000)))),
            sleeps: true,
        },
        Self {
            name: "sleeping chain",
            make: || Box::new(|| Some(shapes::chain(40, SLEEPS, micros(3000)))),
            sleeps: true,
        },
        Self {
            name: "sleeping tree",
            make: || Box::new(|| Some(shapes::tree(8, SLEEPS, micros(3000)))),
            sleeps: true,
        },
        Self {
            name: "sleeping uneven",
            make: || Box::new(|| Some(shapes::uneven(0, 128, SLEEPS, micros(1000)))),
            sleeps: true,
        },
        Self {
            name: "sleeping scope",
            make: || Box::new(|| Some(shapes::spawns(200, SLEEPS, micros(3000)))),
            sleeps: true,
        },
    ];

    /// Two runs on a pool of so many threads: what the leaves of the second took. The first finds
    /// pages that are not there yet, which takes some microseconds between its leaves.
    pub(crate) fn run_twice(&self, threads: usize) -> Option<Taken> {
        let pool = Pool::new(threads).expect("the system gives us threads");
        pool.install((self.make)());
        pool.install((self.make)())
    }

    /// How long a run on a pool takes, without the making of the input.
    #[cfg(feature = "table")]
    pub(crate) fn time_on(&self, pool: &Pool) -> Duration {
        let run = (self.make)();
        let begin = std::time::Instant::now();
        pool.install(run);
        begin.elapsed()
    }
}
