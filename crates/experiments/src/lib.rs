//! What is concluded from runs: replications, sweeps, claims, and the chapters of the report.
//!
//! The crates to the left of this one describe work, decide, simulate, estimate, and state what the
//! papers promise. An experiment joins them: it makes many runs on all cores, estimates from them,
//! and holds the estimates against the theorems. Results are plain values. This crate prints
//! nothing, reads no arguments and knows no terminal; the command line `filch` is one program
//! above it, and yours can be another.
//!
//! | module | the experiment |
//! |---|---|
//! | [`natural`] | BFG's process: independent replications, the mean load and its interval, the stability verdict, the way back from a large load |
//! | [`dispatch`] | PI's server farm: every policy in front of every farm under every load, on the same random numbers |
//! | [`dag`] | computations on P simulated processors, beside the bounds of BL99 and ABP01 |
//! | [`chapters`] | everything that the papers claim, measured: what `filch reproduce` writes |
//! | [`values`] | what chapters are made of: claims, tables, plots |
//!
//! # An experiment in ten lines
//!
//! How much waits in BFG's process if all generators sit on one of 64 processors?
//!
//! ```
//! use filch_experiments::Silent;
//! use filch_experiments::natural::{RunLength, Process, Study};
//! use filch_random::Seed;
//!
//! let process = Process::new(64, "0.5".parse()?, "half".parse()?, "one".parse()?)?;
//! let study = Study {
//!     process,
//!     length: RunLength::of(4000),
//!     replications: 8,
//!     seed: Seed::new(1),
//! };
//! let conclusion = study.conclude(&Silent);
//! let [low, high] = conclusion.ci95().ok_or("too short for an interval")?;
//! let mean = conclusion.mean_load.ok_or("too short for a mean")?;
//! assert_eq!(conclusion.verdict.name(), "stable");
//! assert!(low < mean && mean < high && high - low < 0.2 * mean);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same seed gives the same numbers, whatever the number of threads: each run draws from
//! streams that have an address of their own, and [`parallel::map`] puts the results back into
//! order.
//!
//! # A chapter of the report
//!
//! A chapter is a function from a [`Setting`](chapters::Setting), which holds the scale, the seed
//! and the progress, to values. `Sketch` is the scale that takes seconds:
//!
//! ```
//! use filch_experiments::Silent;
//! use filch_experiments::chapters::{CHAPTERS, Scale, Setting};
//! use filch_random::Seed;
//!
//! let setting = Setting::new(Scale::Sketch, Seed::new(1), &Silent);
//! let decisions = (CHAPTERS[0].write)(&setting);
//! for claim in &decisions.claims {
//!     assert!(claim.holds, "{} ({}): {}", claim.claim, claim.stated, claim.found);
//! }
//! ```
//!
//! `filch-report` turns chapters into HTML, Markdown, JSON and CSV.
//!
//! # Progress
//!
//! A long experiment says how far it has come to a [`Progress`], which a program with a terminal
//! implements as a bar. [`Silent`] ignores it.

pub mod chapters;
pub mod dag;
pub mod dispatch;
pub mod natural;
pub mod parallel;
mod progress;
pub mod values;

pub use progress::{Progress, Silent};
