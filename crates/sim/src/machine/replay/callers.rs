use filch_profile::{Duration, TaskId};

/// A thread outside of the machine that enters it now and then. Between entries it runs on a
/// processor of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller(pub Vec<Entry>);

/// An entry of a [`Caller`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How long after the end of the last awaited entry, or after the last other one; after the
    /// beginning for the first.
    pub after: Duration,
    /// What is run.
    pub root: TaskId,
    /// Whether the caller waits for it.
    pub is_awaited: bool,
}

/// How far a caller has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress<'a> {
    entries: &'a [Entry],
}

impl<'a> Progress<'a> {
    pub(super) fn of(caller: &'a Caller) -> Self {
        Self { entries: &caller.0 }
    }

    /// How long until the next entry; none if there is none.
    pub(super) fn until_next(&self) -> Option<u64> {
        self.entries.first().map(|entry| entry.after.picos())
    }

    /// The next entry, which is entered now.
    pub(super) fn enter(&mut self) -> Entry {
        let (entry, rest) = self.entries.split_first().expect("an entry that is due");
        self.entries = rest;
        *entry
    }
}
