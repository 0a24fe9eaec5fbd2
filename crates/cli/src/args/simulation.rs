//! What every simulating command takes.

use std::num::NonZero;

use clap::Args;
use filch_experiments::parallel;
use filch_random::Seed;

use super::values::Whole;
use crate::failure::Failure;
use crate::memory;

#[derive(Clone, Copy, Debug, PartialEq, Args)]
pub(crate) struct SimulationArgs {
    /// The number that the run can be repeated from, 0 to 2^64 - 1
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = seed,
        allow_negative_numbers = true
    )]
    pub(crate) seed: Seed,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

pub(super) fn seed(text: &str) -> Result<Seed, String> {
    text.parse().map(|seed: Whole<0>| Seed::new(seed.get()))
}

/// A thread's stack, and some more.
const BYTES_PER_THREAD: u64 = 3 << 20;

/// What commands take that make independent runs.
#[derive(Clone, Copy, Debug, PartialEq, Args)]
pub(crate) struct ReplicationsArgs {
    /// Independent runs, 1 to 1048576
    #[arg(
        long,
        value_name = "R",
        default_value = "8",
        allow_negative_numbers = true
    )]
    replications: Whole<1, { 1 << 20 }>,
}

impl ReplicationsArgs {
    pub(crate) fn get(self) -> u64 {
        self.replications.get()
    }

    pub(crate) fn size(self) -> usize {
        self.replications.size()
    }
}

/// What commands take that make independent runs at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Args)]
pub(crate) struct ThreadsArgs {
    /// Threads to compute on, 1 to 1024; the results are the same on any number [default: one for
    /// each core]
    #[arg(
        long,
        value_name = "N",
        env = "FILCH_NUM_THREADS",
        hide_env_values = true,
        allow_negative_numbers = true
    )]
    threads: Option<Whole<1, 1024>>,
}

impl ThreadsArgs {
    /// Has all experiments computed on as many threads.
    pub(crate) fn choose(self) -> Result<(), Failure> {
        if !memory::can_reserve(self.get().get() as u64 * BYTES_PER_THREAD) {
            return Err(Failure::usage(format!(
                "--threads {}: there is no memory for their stacks: use fewer, such as --threads 1",
                self.get()
            )));
        }
        parallel::use_threads(self.get()).map_err(|error| {
            Failure::usage(format!(
                "--threads {}: {error}: use fewer, such as --threads 1",
                self.get()
            ))
        })
    }

    /// How many threads to compute on.
    pub(crate) fn get(self) -> NonZero<usize> {
        let asked = self
            .threads
            .and_then(|threads| NonZero::new(threads.size()));
        asked.unwrap_or_else(parallel::threads)
    }
}
