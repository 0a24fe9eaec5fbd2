use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::cpu::{self, CpuTimes, Scheduled};

/// A balancer that runs, stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct BalancerProcess {
    child: Child,
    /// The ports by which requests enter, one for each dispatcher.
    pub(crate) entries: Vec<SocketAddr>,
    /// Processes that belong to the same balancer.
    others: Vec<BalancerProcess>,
}

/// How long a balancer may take to start or to stop.
const START_OR_STOP: Duration = Duration::from_secs(10);

impl BalancerProcess {
    /// Starts `command`, which will listen on `entry`, and waits until it does.
    pub(super) fn start(mut command: Command, entry: SocketAddr) -> io::Result<Self> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        Self::new(child, vec![entry]).wait()
    }

    /// Waits until it listens.
    pub(super) fn wait(mut self) -> io::Result<Self> {
        let began = Instant::now();
        while !self
            .entries
            .iter()
            .all(|entry| TcpStream::connect(entry).is_ok())
        {
            if let Some(status) = self.child.try_wait()? {
                return Err(io::Error::other(format!("it ended with {status}")));
            }
            if began.elapsed() > START_OR_STOP {
                return Err(io::Error::other("it does not listen"));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(self)
    }

    /// A child that listens on these ports, or will.
    pub(super) fn new(child: Child, entries: Vec<SocketAddr>) -> Self {
        Self {
            child,
            entries,
            others: Vec::new(),
        }
    }

    /// With another process beside this one.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.entries.extend(&other.entries);
        self.others.push(other);
        self
    }

    /// The processor time that the balancer has used so far.
    pub(crate) fn cpu_times(&self) -> CpuTimes {
        let others: CpuTimes = self.others.iter().map(Self::cpu_times).sum();
        cpu::used(self.child.id()) + others
    }

    /// The same, user and system together.
    pub(crate) fn cpu(&self) -> Duration {
        let CpuTimes { user, system } = self.cpu_times();
        user + system
    }

    /// What the scheduler has done with its threads so far.
    pub(crate) fn scheduled(&self) -> Scheduled {
        let others: Scheduled = self.others.iter().map(Self::scheduled).sum();
        cpu::scheduled(self.child.id()) + others
    }
}

impl Drop for BalancerProcess {
    /// Asks the process to end, so that it can end its workers, and kills it if it does not.
    fn drop(&mut self) {
        // Children of this program end when their standard input does.
        drop(self.child.stdin.take());
        let pid = Pid::from_child(&self.child);
        // It may have ended by itself. Then the signal fails, and there is nothing to wait for.
        let _ = kill_process(pid, Signal::TERM);
        let began = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if began.elapsed() > START_OR_STOP {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A loopback port that is free at the moment.
pub(super) fn free_port() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

/// The first line that a program prints about its version.
pub(super) fn version(program: &str, argument: &str) -> Result<String, String> {
    let text = output(program, argument)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// All that a program prints about its version.
pub(super) fn output(program: &str, argument: &str) -> Result<String, String> {
    let output = Command::new(program).arg(argument).output();
    let output = output.map_err(|error| format!("{program} cannot be run: {error}"))?;
    let text = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&text).into_owned())
}
