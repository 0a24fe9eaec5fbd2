//! The names of the runtimes, and what each can express.

use serde::Serialize;

/// A runtime, or the serial program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
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

impl Kind {
    /// The runtimes that this program was built with, serial first.
    pub(crate) const BUILT: &[Kind] = &[
        Kind::Serial,
        Kind::Filch,
        Kind::Rayon,
        Kind::Chili,
        #[cfg(feature = "forte")]
        Kind::Forte,
        Kind::BevyTasks,
        Kind::Threadpool,
        Kind::RustyPool,
    ];

    /// The name in filters, tables and JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Serial => "serial",
            Kind::Filch => "filch",
            Kind::Rayon => "rayon",
            Kind::Chili => "chili",
            #[cfg(feature = "forte")]
            Kind::Forte => "forte",
            Kind::BevyTasks => "bevy_tasks",
            Kind::Threadpool => "threadpool",
            Kind::RustyPool => "rusty_pool",
        }
    }

    /// The version it was built from, if it is a package.
    pub(crate) fn version(self) -> Option<&'static str> {
        match self {
            Kind::Serial => None,
            Kind::Filch => Some(env!("BENCH_VERSION_FILCH")),
            Kind::Rayon => Some(env!("BENCH_VERSION_RAYON")),
            Kind::Chili => Some(env!("BENCH_VERSION_CHILI")),
            #[cfg(feature = "forte")]
            Kind::Forte => Some(env!("BENCH_VERSION_FORTE")),
            Kind::BevyTasks => Some(env!("BENCH_VERSION_BEVY_TASKS")),
            Kind::Threadpool => Some(env!("BENCH_VERSION_THREADPOOL")),
            Kind::RustyPool => Some(env!("BENCH_VERSION_RUSTY_POOL")),
        }
    }

    /// Whether the runtime offers what `caller` asks for.
    pub(crate) fn can(self, caller: Caller) -> bool {
        match self {
            Kind::Filch => true,
            #[cfg(feature = "forte")]
            Kind::Forte => true,
            Kind::Rayon => true,
            Kind::Serial | Kind::Chili => matches!(caller, Caller::Joins | Caller::Leaves),
            Kind::BevyTasks => caller != Caller::Joins,
            Kind::Threadpool | Kind::RustyPool => matches!(caller, Caller::Spawns | Caller::Leaves),
        }
    }
}
