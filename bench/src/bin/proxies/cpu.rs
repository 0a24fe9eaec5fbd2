//! The processor time of a process and its children.

use std::fs;
use std::iter::Sum;
use std::ops::Add;
use std::time::Duration;

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
    // Linux gives these times in hundredths of a second on every architecture.
    let time = |at: usize| {
        Some(Duration::from_millis(
            10 * fields.get(at)?.parse::<u64>().ok()?,
        ))
    };
    Some(CpuTimes {
        user: time(11)?,
        system: time(12)?,
    })
}
