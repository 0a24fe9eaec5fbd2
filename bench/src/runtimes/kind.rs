//! The names of the runtimes, and what each can express.

use serde::Serialize;

/// A runtime, or the serial program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RuntimeKind {
    /// No runtime at all: the plain recursive program.
    Serial,
    /// filch.
    Filch,
    /// rayon.
    Rayon,
    /// chili: `join` only.
    Chili,
    /// forte.
    #[cfg(feature = "forte")]
    Forte,
    /// Bevy's task pool: scopes and jobs, no `join`.
    BevyTasks,
    /// threadpool: jobs only.
    Threadpool,
    /// rusty_pool: jobs only.
    RustyPool,
}

/// What the measuring thread asks of a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// It enters the pool to `join`; where the library lets it compute too, it is counted as one
    /// of the threads.
    Joins,
    /// It enters the pool to spawn into a scope; counted likewise.
    Scopes,
    /// It stays outside, hands over jobs and is not counted.
    Spawns,
    /// It leaves the pool alone.
    Leaves,
}

impl RuntimeKind {
    /// The runtimes that this program was built with, serial first.
    pub(crate) const BUILT: &[RuntimeKind] = &[
        RuntimeKind::Serial,
        RuntimeKind::Filch,
        RuntimeKind::Rayon,
        RuntimeKind::Chili,
        #[cfg(feature = "forte")]
        RuntimeKind::Forte,
        RuntimeKind::BevyTasks,
        RuntimeKind::Threadpool,
        RuntimeKind::RustyPool,
    ];

    /// The name in filters, tables and JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            RuntimeKind::Serial => "serial",
            RuntimeKind::Filch => "filch",
            RuntimeKind::Rayon => "rayon",
            RuntimeKind::Chili => "chili",
            #[cfg(feature = "forte")]
            RuntimeKind::Forte => "forte",
            RuntimeKind::BevyTasks => "bevy_tasks",
            RuntimeKind::Threadpool => "threadpool",
            RuntimeKind::RustyPool => "rusty_pool",
        }
    }

    /// The version it was built from, if it is a package.
    pub(crate) fn version(self) -> Option<&'static str> {
        match self {
            RuntimeKind::Serial => None,
            RuntimeKind::Filch => Some(env!("BENCH_VERSION_FILCH")),
            RuntimeKind::Rayon => Some(env!("BENCH_VERSION_RAYON")),
            RuntimeKind::Chili => Some(env!("BENCH_VERSION_CHILI")),
            #[cfg(feature = "forte")]
            RuntimeKind::Forte => Some(env!("BENCH_VERSION_FORTE")),
            RuntimeKind::BevyTasks => Some(env!("BENCH_VERSION_BEVY_TASKS")),
            RuntimeKind::Threadpool => Some(env!("BENCH_VERSION_THREADPOOL")),
            RuntimeKind::RustyPool => Some(env!("BENCH_VERSION_RUSTY_POOL")),
        }
    }

    /// Whether the runtime offers what `caller` asks for.
    pub(crate) fn can(self, caller: Caller) -> bool {
        match self {
            RuntimeKind::Filch => true,
            #[cfg(feature = "forte")]
            RuntimeKind::Forte => true,
            RuntimeKind::Rayon => true,
            RuntimeKind::Serial | RuntimeKind::Chili => {
                matches!(caller, Caller::Joins | Caller::Leaves)
            }
            RuntimeKind::BevyTasks => caller != Caller::Joins,
            RuntimeKind::Threadpool | RuntimeKind::RustyPool => {
                matches!(caller, Caller::Spawns | Caller::Leaves)
            }
        }
    }
}
