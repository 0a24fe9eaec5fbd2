//! The pools of a program.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::program::{PoolKind, PoolShape};

/// A pool, and how many of its spawned jobs have panicked.
pub(super) struct CountingPool {
    pub(super) pool: Arc<ThreadPool>,
    pub(super) panics: Arc<AtomicUsize>,
}

impl CountingPool {
    pub(super) fn new(shape: &PoolShape) -> Self {
        let panics = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&panics);
        let builder = ThreadPoolBuilder::new()
            .num_threads(shape.threads)
            .panic_handler(move |_| {
                counted.fetch_add(1, Ordering::SeqCst);
            });
        let pool = match shape.kind {
            PoolKind::Plain => builder.build(),
            PoolKind::Start => builder.start_handler(|_| ()).build(),
            PoolKind::Spawn => builder
                .spawn_handler(|worker| {
                    thread::Builder::new().spawn(|| worker.run())?;
                    Ok(())
                })
                .build(),
        };
        let pool = Arc::new(pool.expect("the system gives threads"));
        Self { pool, panics }
    }
}
