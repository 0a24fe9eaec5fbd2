//! `filch proxy --config` and `--check`: the proxy of `filch-balance` as a program.

use std::path::Path;

use filch_balance::proxy::{Config, ProxyStartError, Running, log_to_stderr, raise_file_limit};
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;
use crate::output;

/// Says whether the file is a configuration that could be run.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    let config = Config::read(path).map_err(|error| Failure::usage(error.to_string()))?;
    let file = output::printable(&path.to_string_lossy());
    for warning in config.warnings() {
        use std::io::Write as _;
        // If standard error is closed, the exit code still tells that the file can be used.
        let _ = writeln!(std::io::stderr(), "filch: {file}: warning: {warning}");
    }
    let counted = |number: usize, thing: &str| output::count(number as u64, thing);
    let servers: usize = config.groups.iter().map(|group| group.servers.len()).sum();
    output::print(&format!(
        "{file}: good ({}, {}, {}, {})\n",
        counted(config.listeners.len(), "listener"),
        counted(config.groups.len(), "group"),
        counted(servers, "server"),
        counted(config.routes.len(), "route")
    ))
}

/// Runs until it is told to stop.
pub(super) fn run(path: &Path, upgrade: bool) -> Result<(), Failure> {
    Config::read(path).map_err(|error| Failure::usage(error.to_string()))?;
    log_to_stderr();
    // Without it the proxy works too, for fewer connections.
    let _ = raise_file_limit();
    let failed = |error: std::io::Error| Failure::run(format!("cannot start the proxy: {error}"));
    // The workers have runtimes of their own.
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(failed)?;
    let left = runtime.block_on(async {
        let mut signals = Signals::listen().map_err(failed)?;
        let started = if upgrade {
            Running::take_over(path)
        } else {
            Running::start(path)
        };
        let mut running = started.map_err(|error| match error {
            ProxyStartError::Config(error) => Failure::usage(error.to_string()),
            other => Failure::run(other.to_string()),
        })?;
        announce(&running);
        loop {
            let signalled = tokio::select! {
                signalled = signals.next() => signalled,
                () = running.succeeded() => Signalled::Stop,
            };
            match signalled {
                // If it is refused, the log says why.
                Signalled::Reload => drop(running.reload()),
                Signalled::Stop => break,
            }
        }
        Ok(running.stop().await)
    })?;
    // Connections that do nothing have no claim to be waited for.
    runtime.shutdown_background();
    match left {
        0 => Ok(()),
        left => Err(Failure::run(format!(
            "proxy: {left} requests had not finished when the grace period was over: \
             allow more with grace, such as grace = \"2m\""
        ))),
    }
}

/// Says where what is.
fn announce(running: &Running) {
    use std::io::Write as _;
    let mut lines = String::new();
    for address in running.addresses() {
        lines += &format!("filch: listening at {address}\n");
    }
    if let Some(address) = running.admin() {
        lines += &format!("filch: admin page at http://{address}/\n");
    }
    if let Some(address) = running.metrics() {
        lines += &format!("filch: metrics at http://{address}/metrics\n");
    }
    // If standard error is closed, these lines are lost and nothing else.
    let _ = std::io::stderr().write_all(lines.as_bytes());
}

/// What a signal means.
enum Signalled {
    Stop,
    Reload,
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Signalled {
        tokio::select! {
            _ = self.terminate.recv() => Signalled::Stop,
            _ = self.interrupt.recv() => Signalled::Stop,
            _ = self.hang_up.recv() => Signalled::Reload,
        }
    }
}
