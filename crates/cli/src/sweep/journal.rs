//! The rows of a shard on disk.
//!
//! A journal is one file: a line that says what it is, the [`Identity`], the rows in the order in
//! which they were made, and at the end how many there are. Each record has a checksum. The file
//! appears with its head whole; after that it only grows. A process that is killed leaves at most
//! one record that is not whole, at the end. That one, and what else of the end a lost machine has
//! not written, is cut off when the sweep goes on. A row is *finished* when its record is written;
//! records are synced at least [every 0.2 s](SYNC), and a row that took longer at once.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use filch_experiments::sweep::{Plan, Row, Shard};

use super::durable;
use super::identity::Identity;
use super::record::{self, END, IDENTITY, ROW, framed};
use crate::failure::Failure;
use crate::folder::shown;

/// The first bytes of every journal.
const MAGIC: &[u8] = b"filch sweep rows, format 1\n";

/// How a journal's name ends.
pub(super) const EXTENSION: &str = "rows";

/// Rows that took less are synced together.
const SYNC: Duration = Duration::from_millis(200);

/// A journal that is written to.
pub(super) struct Journal {
    path: PathBuf,
    file: Mutex<Open>,
    ended: AtomicBool,
    columns: &'static [filch_experiments::sweep::Column],
}

struct Open {
    file: File,
    synced: Instant,
}

/// A journal, and the rows that it had when it was opened.
pub(super) struct Opened {
    pub(super) journal: Journal,
    pub(super) rows: Vec<Row>,
}

/// What a journal's bytes hold.
pub(super) struct Contents {
    pub(super) identity: Identity,
    /// Where the payloads of the rows are.
    pub(super) rows: Vec<Range<usize>>,
    /// Whether the last record says that the shard is finished, and that all rows are there.
    pub(super) ended: bool,
    /// How many bytes are whole records.
    pub(super) whole: usize,
}

impl Contents {
    /// Everything up to the first record that is not whole; `None` if that is the head.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let (IDENTITY, head, mut rest) = record::first(bytes.strip_prefix(MAGIC)?)? else {
            return None;
        };
        let identity = serde_json::from_slice(head).ok()?;
        let (mut rows, mut ended) = (Vec::new(), false);
        while let Some((kind, payload, after)) = record::first(rest)
            && !ended
        {
            match kind {
                ROW => {
                    let end = bytes.len() - after.len();
                    rows.push(end - payload.len()..end);
                }
                END if payload == (rows.len() as u64).to_le_bytes() => ended = true,
                _ => break,
            }
            rest = after;
        }
        Some(Self {
            identity,
            rows,
            ended,
            whole: bytes.len() - rest.len(),
        })
    }

    /// The rows, of which these are the bytes; `None` if one is not of the plan's model.
    pub(super) fn decode(&self, bytes: &[u8], plan: &Plan) -> Option<Vec<Row>> {
        let columns = plan.model().results;
        let rows = self.rows.iter();
        rows.map(|row| record::decode(&bytes[row.clone()], columns))
            .collect()
    }
}

impl Journal {
    /// The name of a shard's journal.
    fn name(shard: Shard) -> String {
        let (number, of) = (shard.number(), shard.of());
        format!("shard-{number}-of-{of}.{EXTENSION}")
    }

    /// Opens the journal of this shard, or begins one.
    pub(super) fn open(folder: &Path, plan: &Plan, identity: &Identity) -> Result<Opened, Failure> {
        let shard = identity.shard().unwrap_or(Shard::WHOLE);
        let name = Self::name(shard);
        let path = folder.join(&name);
        let refuse = |error: io::Error| durable::refuse(&path, &error);
        if !path.exists() {
            let head = serde_json::to_vec(identity).expect("an identity is plain data");
            let begun = [MAGIC, &framed(IDENTITY, &head)].concat();
            durable::begin(folder, &name, &begun)?;
        }
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let mut file = file.map_err(refuse)?;
        file.try_lock()
            .map_err(|refused| unlocked(&path, &refused))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(refuse)?;
        let other = |what: &str| {
            Failure::usage(format!(
                "'{}' {what}: name another --out, or remove it to begin anew",
                shown(&path)
            ))
        };
        let contents = Contents::of(&bytes).ok_or_else(|| other("is damaged at its head"))?;
        if let Some(how) = contents.identity.differs(identity) {
            return Err(other(&how));
        }
        if contents.identity.shard() != Some(shard) {
            return Err(other("is of another shard"));
        }
        let columns = plan.model().results;
        let rows = contents.decode(&bytes, plan);
        let rows = rows.ok_or_else(|| other("has rows of another model"))?;
        let Contents { ended, whole, .. } = contents;
        let in_order = sorted(rows.clone());
        if in_order.windows(2).any(|two| two[0].key() == two[1].key()) {
            return Err(other("has a row twice"));
        }
        if ended && !plan.missing(&plan.points_of(shard), &in_order).is_empty() {
            return Err(other("says that it is finished, and rows are missing"));
        }
        if whole < bytes.len() {
            super::keeper::cut(bytes.len() - whole, &path);
            file.set_len(whole as u64)
                .and_then(|()| file.sync_all())
                .map_err(refuse)?;
        }
        file.seek(SeekFrom::Start(whole as u64)).map_err(refuse)?;
        let synced = Instant::now();
        Ok(Opened {
            journal: Self {
                path,
                file: Mutex::new(Open { file, synced }),
                ended: AtomicBool::new(ended),
                columns,
            },
            rows,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the shard is finished.
    pub(super) fn is_ended(&self) -> bool {
        // Ordering: written by the same thread.
        self.ended.load(Ordering::Relaxed)
    }

    /// Adds a row.
    pub(super) fn add(&self, row: &Row, took: Duration) -> io::Result<()> {
        let record = framed(ROW, &record::encode(row, self.columns));
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        open.file.write_all(&record)?;
        if took >= SYNC || open.synced.elapsed() >= SYNC {
            open.file.sync_data()?;
            open.synced = Instant::now();
        }
        Ok(())
    }

    /// All rows of the shard are there.
    pub(super) fn end(&self, rows: usize) -> Result<(), Failure> {
        if self.is_ended() {
            return Ok(());
        }
        let record = framed(END, &(rows as u64).to_le_bytes());
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = open.file.write_all(&record);
        let ended = ended.and_then(|()| open.file.sync_all());
        ended.map_err(|error| durable::refuse(&self.path, &error))?;
        // Ordering: read by the same thread.
        self.ended.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// Two processes that write one journal would spoil it, so a file system without locks is refused.
fn unlocked(path: &Path, refused: &TryLockError) -> Failure {
    let path = shown(path);
    Failure::usage(match refused {
        TryLockError::WouldBlock => format!(
            "'{path}' is being written by another process: wait for it, or use another --out"
        ),
        TryLockError::Error(error) => format!(
            "'{path}' cannot be locked: {error}: use an --out on another file system, and copy \
             the shards together for 'filch merge'"
        ),
    })
}

fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_key(Row::key);
    rows
}

#[cfg(test)]
mod tests {
    use filch_experiments::sweep::Description;

    use super::*;

    fn plan() -> Plan {
        Plan::new(&Description {
            model: "limit supermarket".to_owned(),
            grid: vec![("lambda".to_owned(), vec![0.2.into(), 0.4.into()])],
            ..Description::default()
        })
        .unwrap()
    }

    /// A finished journal of two rows.
    fn finished(plan: &Plan, folder: &Path) -> Vec<u8> {
        let identity = Identity::of(plan, Shard::WHOLE);
        let Opened { journal, rows } = Journal::open(folder, plan, &identity).unwrap();
        assert!(rows.is_empty() && !journal.is_ended());
        for point in [1, 0] {
            let row = plan.row(point, 0).unwrap();
            journal.add(&row, Duration::ZERO).unwrap();
        }
        journal.end(2).unwrap();
        std::fs::read(journal.path()).unwrap()
    }

    /// Cut at every length, and with every bit flipped: a damaged head is no journal, and of the
    /// rest no row is read that was not written, and none is taken for all.
    #[test]
    fn damage_is_noticed() {
        let (plan, home) = (plan(), tempfile::tempdir().unwrap());
        let good = finished(&plan, home.path());
        let whole = Contents::of(&good).unwrap();
        assert!(whole.ended && whole.whole == good.len());
        let head = MAGIC.len() + 8 + u32::from_le_bytes(good[27..31].try_into().unwrap()) as usize;
        let check = |damaged: &[u8], at: usize| {
            let contents = Contents::of(damaged);
            assert_eq!(contents.is_some(), at >= head, "{at}");
            if let Some(contents) = contents {
                assert!(!(contents.ended && contents.whole == damaged.len()), "{at}");
                assert!(contents.rows.len() <= 2 && contents.whole <= at, "{at}");
                assert_eq!(contents.rows, whole.rows[..contents.rows.len()], "{at}");
            }
        };
        for length in 0..good.len() {
            check(&good[..length], length);
        }
        for bit in 0..8 * good.len() {
            let mut flipped = good.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            check(&flipped, bit / 8);
        }
        // What stands behind the end is damage too.
        let mut longer = good.clone();
        longer.extend(framed(ROW, &good[whole.rows[0].clone()]));
        assert!(Contents::of(&longer).unwrap().whole < longer.len());
    }

    /// Two writers without a lock would leave rows twice. Such a journal is refused, and does not
    /// grow.
    #[test]
    fn a_row_twice_is_refused() {
        let (plan, home) = (plan(), tempfile::tempdir().unwrap());
        let identity = Identity::of(&plan, Shard::WHOLE);
        let Opened { journal, .. } = Journal::open(home.path(), &plan, &identity).unwrap();
        for point in [0, 1, 0] {
            let row = plan.row(point, 0).unwrap();
            journal.add(&row, Duration::ZERO).unwrap();
        }
        drop(journal);
        let refused = Journal::open(home.path(), &plan, &identity).err().unwrap();
        let sentence = refused.sentence().unwrap();
        assert!(sentence.contains("has a row twice"), "{sentence}");
    }

    #[test]
    fn a_file_system_without_locks_is_refused() {
        let without = TryLockError::Error(io::Error::from(io::ErrorKind::Unsupported));
        let sentence = unlocked(Path::new("shared/a.rows"), &without)
            .sentence()
            .unwrap();
        assert!(
            sentence.contains("'shared/a.rows' cannot be locked"),
            "{sentence}"
        );
    }

    /// From any length behind its head, a journal goes on with the rows that are whole.
    #[test]
    fn a_cut_journal_goes_on() {
        let (plan, home) = (plan(), tempfile::tempdir().unwrap());
        let good = finished(&plan, home.path());
        let identity = Identity::of(&plan, Shard::WHOLE);
        let path = home.path().join("shard-1-of-1.rows");
        let head = MAGIC.len() + 8 + u32::from_le_bytes(good[27..31].try_into().unwrap()) as usize;
        let record = (good.len() - head - 17) / 2;
        for length in head..=good.len() {
            std::fs::write(&path, &good[..length]).unwrap();
            let Opened { journal, rows } = Journal::open(home.path(), &plan, &identity).unwrap();
            let whole = ((length - head) / record).min(2);
            assert_eq!(
                (rows.len(), journal.is_ended()),
                (whole, length == good.len())
            );
            for point in [1, 0].into_iter().skip(whole) {
                let row = plan.row(point, 0).unwrap();
                journal.add(&row, Duration::from_secs(1)).unwrap();
            }
            journal.end(2).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), good, "{length}");
        }
    }
}
