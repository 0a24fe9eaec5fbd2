//! What dispatch policies are worth in real proxies: filch beside nginx, HAProxy, Pingora and
//! tower.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin proxies                # all that are installed: an hour
//! cargo run --release -p filch-bench --bin proxies -- --quick     # a first look
//! cargo run --release -p filch-bench --bin proxies -- --balancer nginx --load 0.8
//! cargo run --release -p filch-bench --bin proxies -- --simulate  # long simulations, no sockets
//! cargo run --release -p filch-bench --bin proxies -- --trial      # beside nginx and HAProxy, 10 min
//! cargo run --release -p filch-bench --bin proxies -- --tournament  # all policies in all scenarios
//! cargo run --release -p filch-bench --bin proxies -- --in-turns 40  # CPU, side by side
//! cargo run --release -p filch-bench --bin proxies -- --closed-loop  # what a request costs
//! cargo run --release -p filch-bench --bin proxies -- --json > raw.json
//! ```
//!
//! Ten toy servers of mean 100 ms and ten of mean 10 ms, or others (`--servers`), are put
//! behind one balancer after the other, under the same open-loop arrivals. Latencies count from the
//! intended start. Each balancer is a process of its own, so that its CPU time can be measured.
//! Beside each row is what the simulator predicts from the same random numbers.

mod args;
mod balancers;
mod closed_loop;
mod cpu;
mod figures;
mod in_turns;
mod instant;
mod measure;
mod measured_table;
mod median;
mod processors;
mod serve;
mod setting;
mod simulated_dispatcher;
mod simulated_table;
mod tournament;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Task};

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(served) = args.serve() {
        return finish(serve::run(served));
    }
    match args.checked() {
        Ok(Task::Simulate(task)) => finish(simulated_table::print(&task)),
        Ok(Task::Tournament(task)) => finish(tournament::print(&task)),
        Ok(Task::InTurns(task)) => finish(in_turns::print(&task)),
        Ok(Task::ClosedLoop(task)) => finish(closed_loop::print(&task)),
        Ok(Task::Measure(task)) => finish(measured_table::print(&task)),
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

fn finish(result: Result<(), Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "a program reports errors there")]
fn complain(message: &str) {
    eprintln!("proxies: {message}");
}
