//! Which processors a measurement runs on.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// One processor for the balancers, another for clients and servers, so that the scheduler moves
/// neither and balancers that take turns use the same caches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Processors {
    pub(crate) balancers: usize,
    pub(crate) load: usize,
}

impl Processors {
    /// The first and the last that this process may use; none if there is only one.
    pub(crate) fn apart() -> io::Result<Option<Self>> {
        let allowed = sched_getaffinity(None)?;
        let mut allowed = (0..CpuSet::MAX_CPU).filter(|&at| allowed.is_set(at));
        let (first, last) = (allowed.next(), allowed.next_back());
        Ok(first
            .zip(last)
            .map(|(load, balancers)| Self { balancers, load }))
    }
}

/// Keeps this thread on a processor, and the threads and processes that it starts from now on.
pub(crate) fn stay_on(processor: usize) -> io::Result<()> {
    let mut only = CpuSet::new();
    only.set(processor);
    Ok(sched_setaffinity(None, &only)?)
}
