//! The processor time of a process and its children.

use std::fs;
use std::time::Duration;

/// The time that the process `pid` and its descendants have used so far; zero where the system does
/// not say.
pub(crate) fn used(pid: u32) -> Duration {
    let ticks: u64 = family(pid).into_iter().filter_map(ticks).sum();
    // Linux gives these times in hundredths of a second on every architecture.
    Duration::from_millis(10 * ticks)
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

/// User and system time of one process, in ticks.
fn ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in the second field may contain any character, a parenthesis included.
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(number(11)? + number(12)?)
}
