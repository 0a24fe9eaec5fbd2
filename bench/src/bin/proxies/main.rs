//! What dispatch policies are worth through real proxies: filch beside nginx, HAProxy and tower's two choices.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin proxies                     # everything that is installed: an hour
//! cargo run --release -p filch-bench --bin proxies -- --quick          # a first look
//! cargo run --release -p filch-bench --bin proxies -- --balancer nginx --load 0.8 --arrivals batches
//! cargo run --release -p filch-bench --bin proxies -- --simulate       # long simulations instead of sockets
//! cargo run --release -p filch-bench --bin proxies -- --json > raw.json
//! ```
//!
//! Ten toy servers of mean 100 ms and ten of mean 10 ms, one request in service each, stand behind one balancer after
//! the other, under the same open-loop arrivals; latencies count from the intended start. Every balancer is a
//! process of its own, so that its CPU time can be told. Beside each row stands what the simulator predicts
//! from the same draws.

mod args;
mod balancers;
mod cpu;
mod figures;
mod measure;
mod serve;
mod setting;
mod simulated;
mod table;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Request};

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(service) = args.serve() {
        return finish(serve::run(service));
    }
    match args.checked() {
        Ok(Request::Simulate(request)) => finish(table::simulate(&request)),
        Ok(Request::Measure(request)) => finish(table::measure(&request)),
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

#[expect(clippy::print_stderr, reason = "a program says what is wrong there")]
fn complain(message: &str) {
    eprintln!("proxies: {message}");
}
