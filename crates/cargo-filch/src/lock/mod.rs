//! The program's lock file stays as it was.
//!
//! With our core the program has other dependencies, so cargo needs another lock file: the
//! *prepared* one. It is the user's with rayon-core taken out and our core put in; every other
//! version stays. [`Place::lock_folder`] has a folder for each variant of the core, with:
//!
//! | file | what it is |
//! |---|---|
//! | `Cargo.lock` | the prepared lock file |
//! | `original` | the user's lock file that it was made from; empty if there was none |
//! | `core` | the core that it was made for |
//!
//! Since version 1.97 cargo is told where the prepared lock file is, and the user's is not touched.
//! An earlier cargo finds it in the place of the user's.
//!
//! A process has its [`turn`] while it prepares the lock file, and while it is in place.

mod files;
mod swap;
mod text;
mod turn;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::Command;

use self::files::{create_folder, read, write};
use self::swap::Swap;
use self::text::Rayon;
use self::turn::Turn;
use crate::args::{Known, Request};
use crate::cargo::Cargo;
use crate::core_tree;
use crate::failure::Failure;
use crate::place::Place;
use crate::signals::Signals;

/// The prepared lock file, and how cargo comes to it.
pub(crate) struct LockFile {
    prepared: PathBuf,
    how: How,
}

enum How {
    /// Cargo is told where it is.
    Beside,
    /// It is in the place of the user's, which is put back when this is dropped.
    InPlace(#[expect(dead_code, reason = "it acts when it is dropped")] (Swap, Turn)),
    /// The user's is back.
    Restored,
}

impl LockFile {
    /// Prepares the lock file for the core that `patch` puts in.
    pub(crate) fn prepare(
        cargo: &Cargo,
        place: &Place,
        request: &Request,
        patch: &str,
        signals: &Signals,
    ) -> Result<Self, Failure> {
        let known = &request.known;
        let moves = cargo.can_move_lock_file()?;
        let folder = place.lock_folder();
        let turn = Turn::wait(&place.manifest, &folder, signals)?;
        swap::put_back_left_over(&place.lock_file, &folder)?;
        if known.locked {
            check_locked(cargo, known)?;
        }
        let original = read(&place.lock_file)?.unwrap_or_default();
        let own = folder.join(request.variant().name());
        create_folder(&own)?;
        let prepared = own.join("Cargo.lock");
        let is_fresh = read(&own.join("core"))?.as_deref() == Some(core_tree::HASH)
            && read(&own.join("original"))?.as_deref() == Some(&original)
            && read(&prepared)?
                .is_some_and(|text| text::rayon(&text, place.packages()) == Rayon::Ours);
        if !is_fresh {
            write(&own.join("core"), "")?;
            write(&own.join("original"), &original)?;
            write(&prepared, &text::without_core(&original))?;
        }
        let how = if moves {
            How::Beside
        } else {
            let text = read(&prepared)?.unwrap_or_default();
            let swap = Swap::begin(place.lock_file.clone(), folder, &text)?;
            How::InPlace((swap, turn))
        };
        let lock = Self { prepared, how };
        if !is_fresh {
            lock.resolve(cargo, place, known, patch)?;
            write(&own.join("core"), core_tree::HASH)?;
        }
        signals.check()?;
        Ok(lock)
    }

    /// Lets cargo put our core into the lock file, and keeps what it has come to.
    fn resolve(
        &self,
        cargo: &Cargo,
        place: &Place,
        known: &Known,
        patch: &str,
    ) -> Result<(), Failure> {
        let mut call = update(cargo, known);
        self.tell(&mut call);
        let output = cargo.output(call.args(["--config", patch]))?;
        if !output.status.success() {
            // If standard error cannot be written, the exit code still tells.
            let _ = io::stderr().write_all(&output.stderr);
            return Err(Failure::Cargo(output.status));
        }
        let path = match self.how {
            How::Beside => &self.prepared,
            _ => &place.lock_file,
        };
        let text = read(path)?.unwrap_or_default();
        write(&self.prepared, &text)?;
        text::rayon(&text, place.packages()).check()
    }

    /// Tells a call of cargo where the lock file is.
    pub(crate) fn tell(&self, call: &mut Command) {
        if matches!(self.how, How::Beside) {
            call.env("CARGO_RESOLVER_LOCKFILE_PATH", &self.prepared);
        }
    }

    /// Whether the prepared lock file is in the place of the user's.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(self.how, How::InPlace(_))
    }

    /// Puts the user's lock file back: cargo has read the prepared one.
    pub(crate) fn restore(&mut self) {
        if self.is_in_place() {
            self.how = How::Restored;
        }
    }
}

/// Has cargo resolve what a lock file lacks, and nothing else.
fn update(cargo: &Cargo, known: &Known) -> Command {
    let mut call = cargo.call("update");
    call.args(["--workspace", "--quiet"]);
    if known.offline {
        call.arg("--offline");
    }
    call
}

/// `--locked` is about the user's lock file: if that is not up to date, cargo says so.
fn check_locked(cargo: &Cargo, known: &Known) -> Result<(), Failure> {
    cargo.ask(update(cargo, known).arg("--locked")).map(drop)
}
