//! Processor-steps a second of the natural work-stealing process, beside the plain loop.
//!
//! Both simulate BFG03's chain X with λ = 0.9 and f = half on one core. Up to 10⁵ processors they
//! start from a state that has settled, and beyond from one in which jobs have spread to all
//! processors. Rounds are interleaved; a cell is the best / the median round. The plain loop takes
//! 40 bytes for each processor and is left out beyond 10⁷.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use filch_policy::steal::StealFunction;
use filch_random::{Purpose, Seed, Stream};
use filch_report::markdown_table;
use filch_sim::natural::{Generators, Natural, PlainNatural};
use filch_workload::{Placement, Placer, Probability};
use serde::Serialize;

use crate::output;

/// Measures how fast the natural process is simulated, beside the plain loop.
#[derive(Debug, Parser)]
#[command(name = "natural", version)]
struct NaturalArgs {
    /// Up to 10⁸ processors and more rounds
    #[arg(long)]
    full: bool,
    /// Only these generators: one, k:100 or uniform
    #[arg(long)]
    generators: Option<String>,
    /// Only so many processors
    #[arg(long)]
    processors: Option<usize>,
    /// One JSON object with all samples on standard output, and nothing else there
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct SpeedRow {
    generators: &'static str,
    processors: usize,
    /// Processor-steps a second, one for each round.
    fast: Vec<f64>,
    plain: Vec<f64>,
}

const LAMBDA: f64 = 0.9;
const PLACEMENTS: [&str; 3] = ["one", "k:100", "uniform"];

/// The program `natural`: processor-steps a second of the natural process.
pub fn natural() -> ExitCode {
    let args = NaturalArgs::parse();
    let (mut sizes, rounds): (&[usize], _) = if args.full {
        (
            &[1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000],
            9,
        )
    } else {
        (&[1_000, 10_000, 100_000, 1_000_000], 5)
    };
    if let Some(processors) = &args.processors {
        sizes = std::slice::from_ref(processors);
    }
    let chosen = |generators: &&str| {
        args.generators
            .as_deref()
            .is_none_or(|it| it == *generators)
    };
    let mut rows = Vec::new();
    for generators in PLACEMENTS.into_iter().filter(chosen) {
        for &processors in sizes {
            output::progress(&format!("{generators}, {processors} processors"));
            rows.push(row(generators, processors, rounds));
        }
    }
    output::exit_code(if args.json {
        output::json(&rows)
    } else {
        io::stdout().write_all(table(&rows).as_bytes())
    })
}

/// The most processors for which the plain loop is measured too.
const MOST_PLAIN: usize = 10_000_000;

/// Steps until the load has settled or at least spread, and steps that take a fifth of a second or
/// so at 3·10⁸ a second.
fn steps(processors: usize) -> (usize, usize) {
    (
        (200_000_000 / processors).clamp(60, 2000),
        (60_000_000 / processors).max(3),
    )
}

fn row(generators: &'static str, processors: usize, rounds: usize) -> SpeedRow {
    let (settle, measured) = steps(processors);
    let mut fast = Fast::new(generators, processors);
    for _ in 0..settle {
        fast.0.step();
    }
    // The plain loop goes on from the same state: settling there would take minutes.
    let mut plain = (processors <= MOST_PLAIN)
        .then(|| SlowLoop::new(generators, fast.0.queues().lengths().collect()));
    let few = (measured / 20).max(1);
    let mut row = SpeedRow {
        generators,
        processors,
        fast: Vec::new(),
        plain: Vec::new(),
    };
    for round in 0..=rounds {
        let sample = time(measured * processors, || {
            (0..measured).map(|_| fast.0.step().load).sum()
        });
        let beside = plain
            .as_mut()
            .map(|plain| time(few * processors, || (0..few).map(|_| plain.step()).sum()));
        if round > 0 {
            row.fast.push(sample);
            row.plain.extend(beside);
        }
    }
    row
}

/// `work` a second.
fn time(work: usize, run: impl FnOnce() -> u64) -> f64 {
    let start = Instant::now();
    black_box(run());
    work as f64 / start.elapsed().as_secs_f64()
}

struct Fast(Natural<Generators, StealFunction>);

impl Fast {
    fn new(generators: &str, processors: usize) -> Self {
        let generators = Generators::new(placement(generators), processors, lambda());
        let generators = generators.expect("at least 100 processors");
        Self(Natural::new(
            processors,
            generators,
            StealFunction::HALF,
            Seed::default(),
            0,
        ))
    }
}

struct SlowLoop {
    chain: PlainNatural<Placer, StealFunction>,
    rng: Stream,
}

impl SlowLoop {
    fn new(generators: &str, queues: Vec<u64>) -> Self {
        let placer = placement(generators).start(queues.len());
        let placer = placer.expect("at least 100 processors");
        Self {
            chain: PlainNatural::new(queues, placer, lambda(), StealFunction::HALF),
            rng: Seed::default().stream(Purpose::named("bench"), 0, 0),
        }
    }

    fn step(&mut self) -> u64 {
        self.chain.step(&mut self.rng).load
    }
}

fn placement(name: &str) -> Placement {
    name.parse().expect("a name from the list")
}

fn lambda() -> Probability {
    Probability::new(LAMBDA).expect("a probability")
}

fn table(rows: &[SpeedRow]) -> String {
    let filch = "filch, 10⁶ processor-steps/s";
    let numbers = ["processors", filch, "plain loop, 10⁶/s", "ratio"];
    let mut text = markdown_table::head(&output::columns(["generators"], numbers));
    for row in rows {
        let fast = best_and_median(&row.fast);
        let plain = (!row.plain.is_empty()).then(|| best_and_median(&row.plain));
        let beside = |show: &dyn Fn((f64, f64)) -> String| plain.map_or("–".to_owned(), show);
        text += &markdown_table::row([
            row.generators.to_owned(),
            row.processors.to_string(),
            format!("{:.0} / {:.0}", fast.0 / 1e6, fast.1 / 1e6),
            beside(&|plain| format!("{:.1} / {:.1}", plain.0 / 1e6, plain.1 / 1e6)),
            beside(&|plain| format!("{:.1}", fast.1 / plain.1)),
        ]);
    }
    text
}

fn best_and_median(samples: &[f64]) -> (f64, f64) {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    (sorted[sorted.len() - 1], sorted[sorted.len() / 2])
}
