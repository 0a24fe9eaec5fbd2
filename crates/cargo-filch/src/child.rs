//! Cargo, run as if it had been called itself.

use std::ffi::OsStr;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::Duration;

use crate::cargo::Cargo;
use crate::failure::Failure;
use crate::lock::LockFile;
use crate::signals::Signals;

/// How often it is asked whether cargo has ended or become the program.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a call of cargo to its end. The user's lock file is back as soon as cargo is known to have
/// read ours.
pub(crate) fn run(
    cargo: &Cargo,
    call: &mut Command,
    lock: &mut LockFile,
    signals: &Signals,
) -> Result<ExitStatus, Failure> {
    lock.tell(call);
    let mut child = call.spawn().map_err(|error| cargo.not_started(&error))?;
    signals.attend(&child);
    let status = wait(&mut child, cargo.program(), lock, signals);
    lock.restore();
    status.map_err(|error| Failure::run(format!("cannot wait for cargo: {error}")))
}

fn wait(
    child: &mut Child,
    cargo: &OsStr,
    lock: &mut LockFile,
    signals: &Signals,
) -> std::io::Result<ExitStatus> {
    loop {
        if let Some(status) = signals.reap(child)? {
            return Ok(status);
        }
        if lock.is_in_place() && has_become_another(child.id(), cargo) {
            lock.restore();
        }
        thread::sleep(LOOK);
    }
}

/// Whether `cargo run` has become the program, as it does on Unix: the process has another
/// executable. Where that cannot be seen, the lock file comes back when the program ends.
#[cfg(target_os = "linux")]
fn has_become_another(process: u32, cargo: &OsStr) -> bool {
    let executable = std::fs::read_link(format!("/proc/{process}/exe"));
    let (Ok(executable), Ok(cargo)) = (executable, std::fs::canonicalize(cargo)) else {
        return false;
    };
    // Between fork and exec it is still ours.
    executable != cargo && std::env::current_exe().is_ok_and(|own| own != executable)
}

#[cfg(not(target_os = "linux"))]
fn has_become_another(_process: u32, _cargo: &OsStr) -> bool {
    false
}
