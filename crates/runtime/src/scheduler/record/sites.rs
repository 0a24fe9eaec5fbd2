//! All sites of a recording.

use std::backtrace::Backtrace;
use std::collections::HashMap;
use std::sync::Arc;

use filch_profile::{Kind, Site};

use super::site::SiteKey;
use super::stack;

/// More sites than that are not told apart: those that follow are the ones that enclose them.
const MOST: usize = 1 << 14;

#[derive(Default)]
pub(super) struct Sites {
    known: Vec<Known>,
    by_key: HashMap<(u64, Option<u32>), u32>,
}

struct Known {
    hash: u64,
    kind: Kind,
    closure: &'static str,
    enclosing: Option<u32>,
    /// The stack when the site was met first, not symbolised.
    stack: Arc<Backtrace>,
    forks: u64,
    steals: u64,
}

impl Sites {
    /// The site with that key. Reads the stack if it is new.
    pub(super) fn find(&mut self, key: &SiteKey, enclosing: Option<u32>) -> u32 {
        if let Some(site) = self.by_key.get(&(key.hash, enclosing)) {
            return *site;
        }
        let outer = |site: &u32| self.known[*site as usize].enclosing;
        let itself = core::iter::successors(enclosing, outer)
            .find(|site| self.known[*site as usize].hash == key.hash);
        let site = match (itself, enclosing) {
            (Some(site), _) => site,
            (None, Some(enclosing)) if self.known.len() >= MOST => enclosing,
            (None, _) => self.add(key, enclosing),
        };
        self.by_key.insert((key.hash, enclosing), site);
        site
    }

    fn add(&mut self, key: &SiteKey, enclosing: Option<u32>) -> u32 {
        self.known.push(Known {
            hash: key.hash,
            kind: key.kind,
            closure: key.closure,
            enclosing,
            stack: Arc::new(Backtrace::force_capture()),
            forks: 0,
            steals: 0,
        });
        self.known.len() as u32 - 1
    }

    pub(super) fn count(&mut self, site: u32, forks: u64, steals: u64) {
        if let Some(known) = self.known.get_mut(site as usize) {
            known.forks += forks;
            known.steals += steals;
        }
    }

    /// The forks and steals of each site.
    pub(super) fn forks(&self) -> impl Iterator<Item = (u64, u64)> {
        self.known.iter().map(|known| (known.forks, known.steals))
    }

    /// The sites from that one on, to be [symbolised](Unnamed::name) without the lock of the store.
    pub(super) fn from(&self, first: usize) -> Vec<Unnamed> {
        let unnamed = |known: &Known| Unnamed {
            kind: known.kind,
            closure: known.closure,
            enclosing: known.enclosing,
            stack: Arc::clone(&known.stack),
            forks: known.forks,
            steals: known.steals,
        };
        self.known[first..].iter().map(unnamed).collect()
    }
}

/// A site with addresses in place of names.
pub(super) struct Unnamed {
    kind: Kind,
    closure: &'static str,
    enclosing: Option<u32>,
    stack: Arc<Backtrace>,
    forks: u64,
    steals: u64,
}

impl Unnamed {
    /// The site, with names. The `earlier` ones contain the one that encloses it.
    pub(super) fn name(&self, earlier: &[Site]) -> Site {
        let enclosing = self.enclosing.and_then(|site| earlier.get(site as usize));
        let frames = stack::frames(&self.stack, enclosing.map(|site| &*site.frames));
        Site {
            kind: self.kind,
            user: stack::user(&frames),
            frames,
            closure: self.closure.to_owned(),
            forks: self.forks,
            steals: self.steals,
        }
    }
}
