//! What is concluded from runs: replications, sweeps, claims, and the chapters of the report.
//!
//! Other crates describe work, decide, simulate, estimate, and state the theorems. An experiment
//! puts them together: it makes many runs on all cores, estimates from them, and compares the
//! estimates with the theorems. Results are plain values. This crate prints nothing, parses no
//! arguments and knows no terminal. The program `filch` is one front end; yours can be another.
//!
//! | module | what it does |
//! |---|---|
//! | [`natural`] | BFG03's process: replications, the mean load, the stability verdict |
//! | [`rivals`] | the natural process and its rivals on the same jobs |
//! | [`dispatch`] | PI's server farm: policies side by side on common random numbers |
//! | [`fleet`] | equal servers in continuous time, beside the limits of many |
//! | [`dag`] | computations on P simulated processors, and the bounds of BL99 and ABP01 |
//! | [`profile`] | a recorded program: work, span, what is in the way, predictions |
//! | [`sweep`] | any of these models on a grid of parameters, on any number of machines |
//! | [`chapters`] | the claims of the papers, checked: what `filch reproduce` writes |
//! | [`values`] | what a chapter consists of: claims, tables, plots |
//!
//! # An experiment in ten lines
//!
//! How large is the mean load of BFG03's process if all generators sit on one of 64 processors?
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
//! The same seed gives the same numbers on any number of threads: each run draws from random
//! streams of its own, and [`parallel::map`] returns the results in order.
//!
//! # A chapter of the report
//!
//! A chapter is a function from a [`Setting`](chapters::Setting), which has the scale, the seed and
//! a listener for progress, to values. At the scale `Sketch` it takes seconds at most:
//!
//! ```
//! use filch_experiments::Silent;
//! use filch_experiments::chapters::{CHAPTERS, Scale, Setting};
//! use filch_random::Seed;
//!
//! let setting = Setting::new(Scale::Sketch, Seed::new(1), &Silent);
//! let decisions = (CHAPTERS[0].write)(&setting);
//! for claim in &decisions.claims {
//!     assert!(claim.outcome.holds(), "{} ({}): {}", claim.claim, claim.stated, claim.found);
//! }
//! ```
//!
//! `filch-report` turns chapters into HTML, Markdown, JSON and CSV.
//!
//! # Progress
//!
//! An experiment reports its progress to a [`Progress`]. A program with a terminal can implement it
//! as a bar. [`Silent`] ignores it.

pub mod chapters;
pub mod dag;
pub mod dispatch;
pub mod fleet;
pub mod natural;
pub mod parallel;
pub mod profile;
mod progress;
pub mod rivals;
pub mod sweep;
pub mod values;

pub use progress::{Progress, Silent};
