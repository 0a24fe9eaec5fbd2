//! A pool of either runtime.

use core::fmt;

use clap::ValueEnum;

/// A runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    Filch,
    Rayon,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Filch, Self::Rayon];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Filch => "filch",
            Self::Rayon => "rayon",
        })
    }
}

pub(super) enum Pool {
    Filch(filch::Pool),
    Rayon(rayon::ThreadPool),
}

impl Pool {
    /// # Panics
    ///
    /// If the system refuses the threads.
    pub(super) fn new(kind: Kind, workers: usize) -> Self {
        match kind {
            Kind::Filch => Self::Filch(filch::Pool::new(workers).expect("the threads start")),
            Kind::Rayon => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(workers);
                Self::Rayon(pool.build().expect("the threads start"))
            }
        }
    }

    /// A section of work that the calling thread waits for: a binary tree of joins.
    pub(super) fn section(&self, depth: u32, leaf: &(impl Fn() + Sync)) {
        fn tree(
            depth: u32,
            leaf: &(impl Fn() + Sync),
            join: &(impl Fn(&(dyn Fn() + Sync), &(dyn Fn() + Sync)) + Sync),
        ) {
            if depth == 0 {
                return leaf();
            }
            let half = || tree(depth - 1, leaf, join);
            join(&half, &half);
        }
        match self {
            Self::Filch(pool) => pool.scope(|_| {
                tree(depth, leaf, &|a, b| {
                    filch::join(a, b);
                });
            }),
            Self::Rayon(pool) => pool.install(|| {
                tree(depth, leaf, &|a, b| {
                    rayon::join(a, b);
                });
            }),
        }
    }

    /// Jobs that this thread sends and waits for.
    pub(super) fn children(&self, number: usize, child: &(impl Fn() + Sync)) {
        match self {
            Self::Filch(pool) => {
                pool.in_place_scope(|s| (0..number).for_each(|_| s.spawn(|_| child())));
            }
            Self::Rayon(pool) => {
                pool.in_place_scope(|s| (0..number).for_each(|_| s.spawn(|_| child())));
            }
        }
    }

    /// Sends a job and does not wait for it.
    pub(super) fn send(&self, job: impl FnOnce() + Send + 'static) {
        match self {
            Self::Filch(pool) => drop(pool.spawn(job)),
            Self::Rayon(pool) => pool.spawn(job),
        }
    }
}
