//! Callgrind, as a program that counts.

use std::env;
use std::process::{Command, Output};

use super::args::{CountArgs, Part};
use super::programs::CountedProgram;
use crate::runtimes::RuntimeKind;

/// What valgrind calls itself; the error says what is lacking.
pub(crate) fn version() -> Result<String, String> {
    let output = valgrind(&["--version".to_owned()])?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The instructions of a process that runs `program` on `runtime` so often.
pub(crate) fn count(
    program: CountedProgram,
    runtime: RuntimeKind,
    repeats: u32,
) -> Result<u64, String> {
    let own = env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    let tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null"].map(str::to_owned);
    let part = Part {
        program,
        runtime,
        repeats,
    };
    let mut args = tool.to_vec();
    args.push(own.to_string_lossy().into_owned());
    args.extend(CountArgs::of(&part));
    let output = valgrind(&args)?;
    let said = String::from_utf8_lossy(&output.stderr);
    collected(&said).ok_or_else(|| format!("callgrind told no count: {}", said.trim()))
}

fn valgrind(args: &[String]) -> Result<Output, String> {
    let lacking = |error| format!("valgrind does not start: {error}; install it, as this needs it");
    let output = Command::new("valgrind")
        .args(args)
        .output()
        .map_err(lacking)?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("valgrind failed: {}", said.trim()))
}

/// The count in what callgrind says at the end: `==1== Collected : 123`.
fn collected(said: &str) -> Option<u64> {
    let mut lines = said
        .lines()
        .filter_map(|line| line.split_once("Collected :"));
    lines.next()?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn a_count_is_found_among_other_lines() {
        let said = "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 1234567\n==7==\n";
        assert_eq!(collected(said), Some(1_234_567));
        assert_eq!(collected("==7== Events    : Ir\n"), None);
    }
}
