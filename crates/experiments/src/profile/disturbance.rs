//! Whether other programs ran beside a recorded one.

use filch_profile::{Duration, Profile};

use super::analysis::Total;

/// What counts as a disturbance: the share of the time that the threads of the program lacked a
/// processor.
const LEAST: f64 = 0.1;
/// How long a thread that was preempted waits at most, as a rule. Time that preemptions do not
/// explain is time in which threads slept, of their own will.
const WAIT: Duration = Duration::from_nanos(10_000_000);

/// The share of its threads' time in which a recorded program had no processor, because the system
/// had given it to others; none if that is little or not known.
///
/// Strands and serial time are measured by the clock. What of them the process did not spend on
/// processors, its threads have slept or waited for one.
pub fn disturbance(profile: &Profile, total: &Total) -> Option<f64> {
    let program = &profile.program;
    // With more threads than processors, the program stands in its own way.
    let usage = program
        .usage
        .filter(|_| program.threads <= program.processors)?;
    let ran = total.t1() + profile.recording.spent;
    let lacked = ran - usage.processor;
    let explained = WAIT.picos().saturating_mul(usage.preemptions);
    let share = lacked.picos() as f64 / ran.picos().max(1) as f64;
    (share >= LEAST && explained >= lacked.picos()).then_some(share)
}
