//! The processor time of a process and its children.

use std::fs;
use std::iter::Sum;
use std::ops::{Add, Sub};
use std::time::Duration;

/// Linux gives times in hundredths of a second on every architecture.
const TICK: Duration = Duration::from_millis(10);

/// The time that a process has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CpuTimes {
    pub(crate) user: Duration,
    pub(crate) system: Duration,
}

impl Add for CpuTimes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            user: self.user + other.user,
            system: self.system + other.system,
        }
    }
}

impl Sum for CpuTimes {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        times.fold(Self::default(), Self::add)
    }
}

/// The time that the process `pid` and its descendants have used so far; zero where the system does
/// not say.
pub(crate) fn used(pid: u32) -> CpuTimes {
    family(pid).into_iter().filter_map(times).sum()
}

/// What the scheduler has done with some threads so far, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scheduled {
    /// How long they ran. The scheduler does not count what the hypervisor has stolen.
    pub(crate) ran: u64,
    /// How long they were ready and waited for a processor: others had it.
    pub(crate) waited: u64,
}

impl Add for Scheduled {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            ran: self.ran + other.ran,
            waited: self.waited + other.waited,
        }
    }
}

impl Sub for Scheduled {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            ran: self.ran.saturating_sub(earlier.ran),
            waited: self.waited.saturating_sub(earlier.waited),
        }
    }
}

impl Sum for Scheduled {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

/// All threads of the process `pid` and its descendants; zero where the system does not say. The
/// time of a thread that is running at the moment may lag by a tick of the scheduler.
pub(crate) fn scheduled(pid: u32) -> Scheduled {
    let threads = |pid| {
        fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
    };
    let threads = family(pid).into_iter().flat_map(threads).flatten();
    let files =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
    let numbers = files.filter_map(|file| {
        let mut numbers = file.split_whitespace().map(str::parse);
        let (ran, waited) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(Scheduled { ran, waited })
    });
    numbers.sum()
}

/// What the hypervisor has taken from all processors so far.
pub(crate) fn stolen() -> Duration {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = stat.lines().next().unwrap_or_default();
    let ticks = line.split_whitespace().nth(8);
    TICK * ticks.and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// The process and all below it.
fn family(pid: u32) -> Vec<u32> {
    let mut family = vec![pid];
    let mut next = 0;
    while let Some(&parent) = family.get(next) {
        next += 1;
        let children = format!("/proc/{parent}/task/{parent}/children");
        let children = fs::read_to_string(children).unwrap_or_default();
        family.extend(
            children
                .split_whitespace()
                .filter_map(|pid| pid.parse::<u32>().ok()),
        );
    }
    family
}

/// User and system time of one process.
fn times(pid: u32) -> Option<CpuTimes> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in the second field may contain any character, a parenthesis included.
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let time = |at: usize| Some(TICK * fields.get(at)?.parse::<u32>().ok()?);
    Some(CpuTimes {
        user: time(11)?,
        system: time(12)?,
    })
}
