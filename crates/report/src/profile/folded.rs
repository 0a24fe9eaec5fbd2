//! Folded stacks, as inferno and flamegraph.pl read them.

use std::fmt::Write as _;

use filch_profile::Duration;

use super::{Shown, place};

/// A line for each chain of sites that does work: the sites from the outermost in, and the time of
/// the last one's own closures in nanoseconds.
pub fn folded(shown: &Shown<'_>) -> String {
    let mut text = String::new();
    let serial = shown.analysis.critical_path.serial;
    if serial > Duration::ZERO {
        let _ = writeln!(text, "serial {}", serial.picos() / 1000);
    }
    let mut stacks: Vec<String> = Vec::with_capacity(shown.flame.nodes.len());
    for node in &shown.flame.nodes {
        // Semicolons separate frames, and the number follows the last blank.
        let name = place(shown.profile, node.site).replace([';', '\n'], ":");
        let stack = match node.above {
            Some(above) => format!("{};{name}", stacks[above]),
            None => name,
        };
        let nanos = node.own_work.picos() / 1000;
        if nanos > 0 {
            let _ = writeln!(text, "{stack} {nanos}");
        }
        stacks.push(stack);
    }
    text
}
