//! What the worker threads of this process share about one cluster.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use filch_balance::Samples;

use crate::config::Config;
use crate::level::Level;
use crate::memory::Memory;
use crate::poison::unpoisoned;
use crate::state_file;
use crate::unclaimed::Unclaimed;

/// A cluster: one dispatcher for each priority.
#[derive(Debug)]
pub struct Cluster {
    config: Config,
    levels: Mutex<Vec<Arc<Level>>>,
    memory: Memory,
    /// The first priority with a healthy server, by the worker that looked last.
    front: AtomicUsize,
    pub(crate) unclaimed: Unclaimed,
}

/// No priority has a healthy server.
const NO_FRONT: usize = usize::MAX;

/// The clusters of this process, by name. They stay when Envoy replaces or removes a cluster, so
/// that what was learned is there when the servers are.
static CLUSTERS: OnceLock<Mutex<HashMap<String, Arc<Cluster>>>> = OnceLock::new();

impl Cluster {
    /// A cluster that is in no list.
    pub fn new(config: Config) -> Arc<Self> {
        Arc::new(Self {
            config,
            levels: Mutex::default(),
            memory: Memory::default(),
            front: AtomicUsize::new(NO_FRONT),
            unclaimed: Unclaimed::default(),
        })
    }

    /// The cluster of this name. If its configuration has changed, another takes its place and
    /// inherits what was learned.
    pub(crate) fn named(name: &str, config: &Config) -> Arc<Self> {
        let mut clusters = clusters();
        let earlier = clusters.get(name);
        if let Some(same) = earlier.filter(|it| it.config == *config) {
            return same.clone();
        }
        let cluster = Self::new(config.clone());
        let learned = match earlier {
            Some(earlier) => earlier.learned(),
            None => state_file::read(config.state.as_deref(), name),
        };
        for (address, samples) in learned {
            cluster.memory.keep(&address, samples);
        }
        clusters.insert(name.to_owned(), cluster.clone());
        drop(clusters);
        if config.state.is_some() {
            state_file::keep_writing();
        }
        cluster
    }

    /// The cluster of this name, if a balancer has been made for it.
    pub(crate) fn known(name: &str) -> Option<Arc<Self>> {
        clusters().get(name).cloned()
    }

    /// All clusters, with their names.
    pub(crate) fn all() -> Vec<(String, Arc<Self>)> {
        let clusters = clusters();
        clusters
            .iter()
            .map(|(name, it)| (name.clone(), it.clone()))
            .collect()
    }

    /// How it is configured.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The dispatcher of a priority, which is made if it is new.
    pub fn level(&self, priority: usize) -> Arc<Level> {
        let mut levels = unpoisoned(self.levels.lock());
        while levels.len() <= priority {
            levels.push(Arc::new(Level::new(&self.config)));
        }
        levels[priority].clone()
    }

    pub(crate) fn levels(&self) -> Vec<Arc<Level>> {
        unpoisoned(self.levels.lock()).clone()
    }

    /// The first priority with a healthy server.
    pub(crate) fn front(&self) -> Option<usize> {
        // Ordering: a hint that guards no data; a level is found under its lock.
        let front = self.front.load(Ordering::Relaxed);
        (front != NO_FRONT).then_some(front)
    }

    pub(crate) fn set_front(&self, front: Option<usize>) {
        // Ordering: as above.
        self.front
            .store(front.unwrap_or(NO_FRONT), Ordering::Relaxed);
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// What was learned about all servers, by address, those included that have left.
    pub fn learned(&self) -> Vec<(String, Samples)> {
        let mut learned: HashMap<String, Samples> = self.memory.all().into_iter().collect();
        for level in self.levels() {
            learned.extend(level.learned());
        }
        learned.into_iter().collect()
    }
}

fn clusters() -> MutexGuard<'static, HashMap<String, Arc<Cluster>>> {
    let clusters = CLUSTERS.get_or_init(Mutex::default);
    unpoisoned(clusters.lock())
}
