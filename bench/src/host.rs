//! The machine and the compiler behind the numbers.

use std::fs;
use std::io::{self, Write};
use std::thread;

use serde::Serialize;

/// What a reader needs to judge the numbers.
#[derive(Debug, Serialize)]
pub(crate) struct HostFacts {
    /// The processor's name.
    cpu: String,
    /// The cores this process may use.
    cores: usize,
    /// The load average of the last minute; what other programs do shows in the numbers.
    load: f64,
    /// The compiler that built this program.
    rustc: &'static str,
}

impl HostFacts {
    /// This machine, now.
    pub(crate) fn this() -> HostFacts {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info
            .lines()
            .find_map(|line| line.strip_prefix("model name"));
        let cpu = model.map_or("unknown processor", |rest| {
            rest.trim_start_matches([' ', '\t', ':'])
        });
        HostFacts {
            cpu: cpu.to_owned(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            load: load(),
            rustc: env!("BENCH_RUSTC"),
        }
    }

    /// The lines above a table.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "- machine: {}, {} cores", self.cpu, self.cores)?;
        writeln!(out, "- load average at the start: {:.2}", self.load)?;
        writeln!(out, "- compiler: {}", self.rustc)
    }
}

/// The load average of the last minute, or zero where the system does not tell.
fn load() -> f64 {
    let averages = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    averages
        .split(' ')
        .next()
        .and_then(|first| first.parse().ok())
        .unwrap_or_default()
}
