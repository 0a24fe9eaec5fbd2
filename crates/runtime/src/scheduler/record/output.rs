//! The file that `FILCH_PROFILE` names.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use filch_profile::file::Writer;
use filch_profile::{Section, Site};

use super::beginning;
use super::clock::now;
use super::section;
use super::snapshot::{self, Snapshot};
use super::store::Store;
use super::timeline::Timeline;
use super::usage::{usage, used_since};

/// The environment variable.
const VARIABLE: &str = "FILCH_PROFILE";

/// How often something is written while the program runs.
const PAUSE: Duration = Duration::from_millis(100);

static OUTPUT: Mutex<Option<Output>> = Mutex::new(None);
/// Whether there is one.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

struct Output {
    writer: Writer<File>,
    sites: Vec<Site>,
    tasks: usize,
    sections: usize,
    /// When something was written last, or the recording began.
    last: Instant,
    /// The process that began it. One that was forked from it leaves the file alone.
    process: u32,
}

/// A pool of that many workers begins. The first one begins the recording, if the environment asks
/// for one.
pub(crate) fn pool_begins(workers: usize) {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            begin(&PathBuf::from(path));
        }
    });
    snapshot::pool_used(workers);
}

#[expect(clippy::print_stderr, reason = "there is no caller to tell")]
fn begin(path: &PathBuf) {
    let (asked, before) = (now(), usage());
    snapshot::begin();
    Store::with(|store| store.timeline = Timeline::from(beginning::of_process()));
    let begun = File::create(path).and_then(|file| {
        let snapshot = Store::with(|store| Snapshot::of(store, 0, 0, 0));
        Writer::begin(file, &snapshot.program, &snapshot.recording)
    });
    match begun {
        Ok(writer) => {
            let output = Output {
                writer,
                sites: Vec::new(),
                tasks: 0,
                sections: 0,
                last: Instant::now(),
                process: std::process::id(),
            };
            *OUTPUT.lock().unwrap_or_else(PoisonError::into_inner) = Some(output);
            // Ordering: Relaxed, a hint: the lock decides.
            IS_OPEN.store(true, Ordering::Relaxed);
            at_exit();
        }
        Err(error) => {
            eprintln!(
                "filch: {VARIABLE}: {} cannot be written: {error}",
                path.display()
            );
        }
    }
    // What ran before the first pool is serial time of the program, and this preparation is not.
    Store::with(|store| {
        store.timeline.pause(asked, now());
        store.of_recorder = used_since(before);
    });
}

/// A section has ended. Writes what is new, if that was not done lately. The first section after
/// which no thread is inside is written at once, so that a program that crashes has a profile.
///
/// If a caller waited for the section and none other is open, the whole program waits while its
/// thread writes, and its clock stands still. Otherwise the clock goes on: other threads do, too.
pub(super) fn section_ended(is_awaited: bool) {
    if !IS_OPEN.load(Ordering::Relaxed) {
        return;
    }
    // Another thread that writes writes for us.
    let Ok(mut output) = OUTPUT.try_lock() else {
        return;
    };
    let is_alone = is_awaited && !section::is_any_open();
    if let Some(open) = &mut *output
        && (is_alone && open.sections == 0 || open.last.elapsed() >= PAUSE)
        && open.process == std::process::id()
    {
        let written = if is_alone {
            open.write_in_a_pause()
        } else {
            open.write()
        };
        open.last = Instant::now();
        if let Err(error) = written {
            give_up(&error);
            *output = None;
        }
    }
}

/// Writes the rest, at the exit of the process.
extern "C" fn finish() {
    let output = OUTPUT.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(output) = output.filter(|output| output.process == std::process::id())
        && let Err(error) = output.write_last()
    {
        give_up(&error);
    }
}

#[expect(clippy::print_stderr, reason = "there is no caller to tell")]
fn give_up(error: &io::Error) {
    IS_OPEN.store(false, Ordering::Relaxed);
    eprintln!("filch: {VARIABLE}: the profile could not be written: {error}");
}

#[cfg(unix)]
#[allow(unsafe_code, reason = "a function of the C library")]
fn at_exit() {
    // SAFETY: `finish` is a function that can be called at any time. It unwinds into the C library
    // only by ending the process, as every function with this ABI.
    let refused = unsafe { libc::atexit(finish) };
    debug_assert_eq!(refused, 0, "the C library has room for a handler");
}

/// Here what the last section before the exit has written is the end of the file.
#[cfg(not(unix))]
fn at_exit() {}

impl Output {
    /// Writes what is new, while the clock of the program stands still.
    fn write_in_a_pause(&mut self) -> io::Result<()> {
        let before = usage();
        Store::with(|store| {
            // A section that is opened after this look at the count waits for the lock, and then
            // lets the clock go on.
            if !section::is_any_open() {
                store.timeline.stop(now());
            }
        });
        let written = self.write();
        Store::with(|store| {
            store.timeline.go_on(now());
            store.of_recorder = store.of_recorder + used_since(before);
        });
        written
    }

    /// Writes the rest. The program has ended, whatever its threads do.
    fn write_last(mut self) -> io::Result<()> {
        let (began, before) = (now(), usage());
        let written = self.write();
        Store::with(|store| {
            store.timeline.pause(began, now());
            store.of_recorder = store.of_recorder + used_since(before);
        });
        written.and_then(|()| self.end())
    }

    /// Writes what is new.
    fn write(&mut self) -> io::Result<()> {
        let snapshot =
            Store::with(|store| Snapshot::of(store, self.sites.len(), self.tasks, self.sections));
        let before = self.sites.len();
        snapshot.name_sites(&mut self.sites);
        self.writer.sites(&self.sites[before..])?;
        self.writer.forks(snapshot.forks.iter().copied())?;
        let tasks = snapshot
            .tasks
            .iter()
            .map(|(task, measures)| (task, *measures));
        self.writer.tasks(tasks)?;
        let sections: &[Section] = &snapshot.sections;
        self.writer.sections(sections)?;
        self.tasks += snapshot.tasks.len();
        self.sections += sections.len();
        self.writer.program(&snapshot.program, &snapshot.recording)
    }

    fn end(mut self) -> io::Result<()> {
        let mut snapshot = Store::with(|store| {
            Snapshot::of(store, self.sites.len(), self.tasks, self.sections).with_stretches(store)
        });
        // A site that is newer than what was just written is in none of the tasks there.
        let sites = self.sites.len() as u32;
        snapshot.stretches.retain(|stretch| stretch.site.0 < sites);
        self.writer.stretches(&snapshot.stretches)?;
        self.writer
            .program(&snapshot.program, &snapshot.recording)?;
        // The process ends within a section: what that did is missing.
        if section::is_any_open() {
            return Ok(());
        }
        self.writer.end().map(drop)
    }
}
