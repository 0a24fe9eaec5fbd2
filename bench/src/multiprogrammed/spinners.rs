//! Processes that want a processor each, and do nothing with it.

use std::hint::black_box;
use std::io::{self, Read as _};
use std::process::{Child, Command, Stdio};
use std::{env, process, thread};

use crate::clock::spin;

/// Spinning processes; they end when this is dropped, and when this process ends.
#[derive(Debug)]
pub(super) struct Spinners(Vec<Child>);

/// The argument with which this program is a spinning process.
pub(super) const SPIN: &str = "--spin";

impl Spinners {
    /// Starts `count` processes.
    pub(super) fn start(count: usize) -> io::Result<Self> {
        let mut started = Self(Vec::new());
        for _ in 0..count {
            let mut command = Command::new(env::current_exe()?);
            // A pipe that nothing is written to: it ends with this process.
            command
                .arg(SPIN)
                .stdin(Stdio::piped())
                .stdout(Stdio::null());
            started.0.push(command.spawn()?);
        }
        Ok(started)
    }
}

impl Drop for Spinners {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // A child that is gone already needs neither.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Spins until standard input ends.
pub(super) fn spin_for_ever() -> ! {
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        process::exit(0);
    });
    loop {
        black_box(spin(black_box(1 << 20)));
    }
}
