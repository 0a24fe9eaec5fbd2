//! What was learned about servers that are not there now: they have left, belong to an earlier
//! configuration, or were known to the process before this one.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use filch_balance::Samples;

use crate::poison::unpoisoned;

/// For how long a server that has left is remembered.
const REMEMBERED: Duration = Duration::from_secs(600);
/// How many servers are remembered. Beyond it, the oldest of two halves is forgotten.
const MOST: usize = 16_384;

/// Servers that are not there, by address.
#[derive(Debug, Default)]
pub(crate) struct Memory(Mutex<HashMap<Box<str>, (Samples, Instant)>>);

impl Memory {
    /// Remembers a server.
    pub(crate) fn keep(&self, address: &str, samples: Samples) {
        let now = Instant::now();
        let mut kept = self.kept();
        if kept.len() >= MOST {
            let mut times: Vec<Instant> = kept.values().map(|(_, at)| *at).collect();
            times.sort_unstable();
            let middle = times[times.len() / 2];
            kept.retain(|_, (_, at)| *at > middle);
        }
        kept.insert(address.into(), (samples, now));
    }

    /// What is remembered of a server, which is then forgotten: it is there.
    pub(crate) fn recall(&self, address: &str) -> Option<Samples> {
        let (samples, at) = self.kept().remove(address)?;
        (at.elapsed() < REMEMBERED).then_some(samples)
    }

    /// All that is remembered.
    pub(crate) fn all(&self) -> Vec<(String, Samples)> {
        let kept = self.kept();
        let fresh = kept.iter().filter(|(_, (_, at))| at.elapsed() < REMEMBERED);
        fresh
            .map(|(address, (samples, _))| (address.to_string(), *samples))
            .collect()
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Box<str>, (Samples, Instant)>> {
        unpoisoned(self.0.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(seconds: f64) -> Samples {
        Samples {
            alone_seconds: seconds,
            alone_weight: 1.0,
            ..Samples::default()
        }
    }

    #[test]
    fn a_server_is_recalled_once() {
        let memory = Memory::default();
        memory.keep("a:1", samples(1.0));
        assert_eq!(memory.recall("a:1"), Some(samples(1.0)));
        assert_eq!(memory.recall("a:1"), None);
    }

    #[test]
    fn it_does_not_grow_without_bound() {
        let memory = Memory::default();
        for server in 0..3 * MOST {
            memory.keep(&server.to_string(), samples(1.0));
        }
        assert!(memory.all().len() <= MOST);
        assert!(memory.recall(&(3 * MOST - 1).to_string()).is_some());
    }
}
