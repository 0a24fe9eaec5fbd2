//! How a part is looked for.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A program that has not told its version by then is stopped.
const PATIENCE: Duration = Duration::from_secs(10);

/// The first line that the program prints when it is called with `words`, if it runs and succeeds.
pub(super) fn program(name: &str, words: &[&str]) -> Option<String> {
    let mut child = Command::new(name)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    if !ended_well(&mut child) {
        return None;
    }
    // nginx tells its version on standard error.
    let text = first_text(child.stdout.take()).or_else(|| first_text(child.stderr.take()));
    Some(text.unwrap_or_default())
}

/// The first of these programs that is there.
pub(super) fn any_of(names: &[&str], words: &[&str]) -> Option<String> {
    names.iter().find_map(|name| program(name, words))
}

/// Waits for the program. A version fits into the buffer of a pipe, so it need not be read
/// meanwhile.
fn ended_well(child: &mut Child) -> bool {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if begin.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(5)),
            Ok(None) | Err(_) => {
                // It may have ended by now; then there is nothing to stop.
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// The first line with something on it. Read up to a bound: a child that left a process behind
/// could keep the pipe open.
fn first_text(stream: Option<impl Read>) -> Option<String> {
    let mut bytes = [0; 1024];
    let length = stream?.read(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes[..length]);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(60).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_not_found() {
        assert_eq!(program("filch-has-no-such-program", &["--version"]), None);
        assert_eq!(any_of(&["filch-has-none", "filch-has-neither"], &[]), None);
    }

    #[cfg(unix)]
    #[test]
    fn versions_are_read_from_either_stream() {
        let say = |script: &str| program("sh", &["-c", script]);
        assert_eq!(say("echo; echo one; echo two"), Some("one".to_owned()));
        assert_eq!(say("echo error >&2"), Some("error".to_owned()));
        assert_eq!(say("true"), Some(String::new()));
        assert_eq!(say("echo broken; exit 3"), None);
    }
}
