//! Signals that ask the program to end: it puts the lock file back first.

use crate::failure::Failure;

#[cfg(unix)]
pub(crate) use unix::Signals;

#[cfg(unix)]
mod unix {
    use std::io;
    use std::process::{Child, ExitStatus};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::thread;

    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator;

    use super::Failure;

    /// What has come, and the process that it is passed on to.
    #[derive(Default)]
    struct State {
        last: Option<i32>,
        child: Option<Pid>,
    }

    /// Signals are caught from now on.
    pub(crate) struct Signals {
        state: Arc<Mutex<State>>,
    }

    impl Signals {
        pub(crate) fn catch() -> io::Result<Self> {
            let mut signals = iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
            let state = Arc::new(Mutex::new(State::default()));
            let shared = Arc::clone(&state);
            thread::Builder::new().spawn(move || {
                for signal in signals.forever() {
                    let mut state = locked(&shared);
                    state.last = Some(signal);
                    state.pass_on(signal);
                }
            })?;
            Ok(Self { state })
        }

        /// Whether a signal has come while no child could have got it.
        pub(crate) fn check(&self) -> Result<(), Failure> {
            match locked(&self.state).last {
                Some(signal) => Err(Failure::Signal(signal)),
                None => Ok(()),
            }
        }

        /// From now on signals are passed on to this process.
        pub(crate) fn attend(&self, child: &Child) {
            let mut state = locked(&self.state);
            state.child = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            if let Some(signal) = state.last {
                state.pass_on(signal);
            }
        }

        /// How the process has ended, if it has. Its number may be another's from then on, so no
        /// signal is passed on meanwhile or afterwards.
        pub(crate) fn reap(&self, child: &mut Child) -> io::Result<Option<ExitStatus>> {
            let mut state = locked(&self.state);
            let status = child.try_wait()?;
            if status.is_some() {
                state.child = None;
            }
            Ok(status)
        }
    }

    impl State {
        /// A signal from the keyboard goes to all processes in the foreground, so the child has it
        /// already.
        fn pass_on(&self, signal: i32) {
            let is_typed = matches!(signal, SIGINT | SIGQUIT) && is_foreground();
            if let Some(child) = self.child
                && let Some(signal) = Signal::from_named_raw(signal)
                && !is_typed
            {
                // A child that has ended meanwhile needs no signal.
                let _ = kill_process(child, signal);
            }
        }
    }

    /// Whether the keyboard's signals come to our group of processes.
    fn is_foreground() -> bool {
        let terminal = std::fs::File::open("/dev/tty");
        let group = terminal
            .ok()
            .and_then(|tty| rustix::termios::tcgetpgrp(tty).ok());
        group == Some(rustix::process::getpgrp())
    }

    fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
        state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(not(unix))]
pub(crate) use elsewhere::Signals;

/// Elsewhere Ctrl-C ends the program at once, and the next `cargo filch` puts the lock file back.
#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::process::{Child, ExitStatus};

    use super::Failure;

    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn catch() -> io::Result<Self> {
            Ok(Self)
        }

        pub(crate) fn check(&self) -> Result<(), Failure> {
            Ok(())
        }

        pub(crate) fn attend(&self, _child: &Child) {}

        pub(crate) fn reap(&self, child: &mut Child) -> io::Result<Option<ExitStatus>> {
            child.try_wait()
        }
    }
}
