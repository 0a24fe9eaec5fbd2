//! What one configuration makes of the proxy. A reload replaces it whole.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinSet;

use super::config::Config;
use super::groups::Group;
use super::health;

/// A configuration at work.
pub(crate) struct Table {
    pub(crate) config: Config,
    pub(crate) groups: Vec<Arc<Group>>,
    /// The active health checks.
    checks: Mutex<JoinSet<()>>,
}

impl Table {
    /// Puts `config` to work in place of `before`. Either all of it works, or nothing has changed.
    pub(crate) fn install(config: Config, before: Option<&Self>) -> Result<Self, String> {
        let groups = config
            .groups
            .iter()
            .map(|said| {
                let before = before.and_then(|before| before.group(&said.name));
                Group::new(said.clone(), before.map(|before| &**before)).map(Arc::new)
            })
            .collect::<Result<Vec<_>, _>>()?;
        // From here on nothing can fail.
        if let Some(before) = before {
            before.retire();
        }
        let mut checks = JoinSet::new();
        for group in &groups {
            group.install();
            health::start(group, &mut checks);
        }
        Ok(Self {
            config,
            groups,
            checks: Mutex::new(checks),
        })
    }

    /// Drops what only the table before this one needed.
    pub(crate) fn settle(&self) {
        for group in &self.groups {
            group.forget_others();
        }
    }

    /// Whoever waits in a group of `before` that has been started anew goes over to the new one.
    pub(crate) fn take_over(&self, before: &Self) {
        for group in &self.groups {
            let known = before.group(&group.said.name);
            if let Some(known) = known
                && !Arc::ptr_eq(&known.live, &group.live)
            {
                known.live.queue.close();
            }
        }
    }

    pub(crate) fn group(&self, name: &str) -> Option<&Arc<Group>> {
        self.groups.iter().find(|group| &*group.said.name == name)
    }

    /// The group for this host (in lower case, without port) and path.
    pub(crate) fn route(&self, host: &str, path: &str) -> Option<&Arc<Group>> {
        let routes = self.config.routes.iter();
        let fitting = routes.filter_map(|route| Some((route.fits(host, path)?, route)));
        let (_, route) = fitting.max_by_key(|(fit, _)| *fit)?;
        self.groups.get(route.group)
    }

    /// Ends the health checks. Requests that came under this table may still be served.
    fn retire(&self) {
        let mut checks = self.checks.lock().unwrap_or_else(PoisonError::into_inner);
        checks.abort_all();
    }
}
