//! Why something is no computation of BL99's model.

use std::error::Error;
use std::fmt;

/// What breaks the model, with the thread or the instruction that does.
///
/// Printed, it is a single line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DagError {
    /// There is no thread at all.
    Empty,
    /// A thread has no instruction.
    NoInstruction(String),
    /// A thread has a frame larger than 2³².
    Frame(String),
    /// Two threads or two instructions have the same name.
    SameName(String),
    /// An edge names a thread or an instruction that is not there.
    Unknown(String),
    /// Every thread is spawned by some instruction, so that none is the root.
    NoRoot,
    /// A second thread is never spawned.
    NeverSpawned(String),
    /// A thread is spawned by two instructions.
    SpawnedTwice(String, [String; 2]),
    /// An instruction spawns two threads.
    TwoSpawns(String),
    /// A join edge inside a thread, where continue edges order all.
    JoinInside(String, String),
    /// The same join edge twice.
    SameJoin(String, String),
    /// A join edge enters the instruction right after a spawn.
    JoinAfterSpawn(String, String),
    /// The last instruction of a thread has no join edge to its parent, which might then die first.
    NotJoined(String, String),
    /// The instructions wait for one another in a circle, told in order.
    Cycle(Vec<String>),
    /// The file is not of the documented form.
    File(String),
}

/// A longer circle is cut here when it is printed.
const SHOWN: usize = 12;

impl fmt::Display for DagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "there is no thread: give at least the root"),
            Self::NoInstruction(thread) => {
                write!(
                    f,
                    "thread {thread} has no instruction: give it at least one"
                )
            }
            Self::Frame(thread) => write!(
                f,
                "thread {thread} has a frame that is no whole number from 0 to 4294967295"
            ),
            Self::SameName(name) => write!(f, "two of them are called {name}: rename one"),
            Self::Unknown(name) => write!(f, "an edge names {name}, which is not there"),
            Self::NoRoot => write!(f, "every thread is spawned: leave one as the root"),
            Self::NeverSpawned(thread) => write!(
                f,
                "thread {thread} is never spawned, and there is a root already: add a spawn edge to it"
            ),
            Self::SpawnedTwice(thread, [first, second]) => write!(
                f,
                "thread {thread} is spawned twice, by {first} and by {second}: remove one of the edges"
            ),
            Self::TwoSpawns(at) => write!(
                f,
                "instruction {at} spawns two threads: an instruction may spawn one"
            ),
            Self::JoinInside(from, to) => write!(
                f,
                "the join edge from {from} to {to} stays inside a thread: its order is given already"
            ),
            Self::SameJoin(from, to) => {
                write!(f, "the join edge from {from} to {to} is there twice")
            }
            Self::JoinAfterSpawn(from, to) => write!(
                f,
                "the join edge from {from} enters {to}, right after a spawn: put an instruction in between"
            ),
            Self::NotJoined(thread, last) => write!(
                f,
                "instruction {last}, the last of thread {thread}, has no join edge to the parent: \
                 a parent lives until its children have died"
            ),
            Self::Cycle(names) => {
                write!(f, "instructions wait for one another: ")?;
                for name in names.iter().take(SHOWN) {
                    write!(f, "{name} → ")?;
                }
                let more = if names.len() > SHOWN { "… → " } else { "" };
                write!(f, "{more}{}", names.first().map_or("", |name| name))
            }
            Self::File(what) => f.write_str(what),
        }
    }
}

impl Error for DagError {}
