use std::sync::{Arc, Mutex};

use tokio::task::JoinSet;

use super::config::{Asked, Config, Listener};
use super::group::Group;
use super::health_checks;
use super::name_lookups;
use crate::poison::unpoisoned;

/// A configuration in use. A reload replaces it whole.
pub(crate) struct ActiveConfig {
    pub(crate) config: Config,
    pub(crate) groups: Vec<Arc<Group>>,
    /// Whether servers believe what they are told of clients' certificates.
    pub(crate) forwards_certificates: bool,
    /// The active health checks, and the lookups of names.
    checks: Mutex<JoinSet<()>>,
}

impl ActiveConfig {
    /// Puts `config` to use in place of `before`. On an error nothing has changed.
    pub(crate) fn install(config: Config, before: Option<&Self>) -> Result<Self, String> {
        let workers = config.workers();
        let groups = config
            .groups
            .iter()
            .map(|config| {
                let before = before.and_then(|before| before.group(&config.name));
                Group::new(config.clone(), before.map(|before| &**before), workers).map(Arc::new)
            })
            .collect::<Result<Vec<_>, _>>()?;
        // From here on nothing can fail.
        if let Some(before) = before {
            before.end_checks();
        }
        let mut checks = JoinSet::new();
        for group in &groups {
            group.install();
            health_checks::start(group, &mut checks);
            name_lookups::start(group, &mut checks);
        }
        Ok(Self {
            forwards_certificates: config.listeners.iter().any(Listener::forwards_certificates),
            config,
            groups,
            checks: Mutex::new(checks),
        })
    }

    /// Completes a reload, once requests see this configuration: servers that only `before` had are
    /// forgotten, and requests that wait in a group that was started anew go over to the new one.
    pub(crate) fn take_over(&self, before: &Self) {
        for group in &self.groups {
            group.forget_others();
            group.state.settle();
            if let Some(old) = before.group(&group.config.name)
                && !Arc::ptr_eq(&old.state, &group.state)
            {
                old.state.balancer.close();
            }
        }
    }

    pub(crate) fn group(&self, name: &str) -> Option<&Arc<Group>> {
        self.groups.iter().find(|group| &*group.config.name == name)
    }

    /// The group for such requests. Of routes that fit equally well, the first one counts.
    pub(crate) fn route(&self, asked: &Asked<'_>) -> Option<&Arc<Group>> {
        let routes = self.config.routes.iter().rev();
        let fitting = routes.filter_map(|route| Some((route.fits(asked)?, route)));
        let (_, route) = fitting.max_by_key(|(fit, _)| *fit)?;
        self.groups.get(route.group)
    }

    /// Ends the health checks. Requests that came under this configuration may still be in flight.
    fn end_checks(&self) {
        unpoisoned(self.checks.lock()).abort_all();
    }
}
