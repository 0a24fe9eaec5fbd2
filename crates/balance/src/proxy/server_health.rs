//! Whether a server is up, by what checks and requests have shown.
//!
//! A server is up unless its active checks fail, it is paused or the operator drains it. A pause
//! follows a number of failed requests in a row. When it ends the server gets requests again, and
//! the next failure starts the next pause. The last server of a group that is up is never paused,
//! and if the others go down or leave meanwhile, its pause ends: there would be no server left.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use super::config::{Failures, Health};
use super::group_state::{GroupState, ServerKey};
use super::metrics::ServerCounts;
use crate::poison::unpoisoned;

/// A server's health and counts. They outlive reloads.
#[derive(Debug, Default)]
pub(crate) struct ServerHealth {
    pub(crate) counts: ServerCounts,
    /// Failed requests in a row.
    failures: AtomicU32,
    verdict: Mutex<Verdict>,
}

#[derive(Debug, Default)]
struct Verdict {
    /// The group that the server belongs to, and its key there. A reload can change both.
    member: Option<(Weak<GroupState>, ServerKey)>,
    /// Whether the active checks fail.
    sick: bool,
    /// Checks in a row that contradict `sick`.
    contrary: u32,
    /// Whether the server is paused after failed requests.
    paused: bool,
    /// Whether the operator wants it to get no requests.
    drained: bool,
    /// How many pauses there were, so that each ends only once.
    pauses: u64,
}

impl ServerHealth {
    fn verdict(&self) -> MutexGuard<'_, Verdict> {
        unpoisoned(self.verdict.lock())
    }

    /// The server joins this group, or stays in it. The group's balancer is told whether it is up.
    pub(crate) fn join(&self, group: &Arc<GroupState>, key: &ServerKey) {
        let mut verdict = self.verdict();
        verdict.member = Some((Arc::downgrade(group), Arc::clone(key)));
        verdict.tell();
    }

    /// The server leaves its group. Its health no longer concerns the group, nor a server of the
    /// same name that joins later.
    pub(crate) fn leave(&self) {
        self.verdict().member = None;
    }

    /// A request was answered.
    pub(crate) fn succeeded(&self) {
        // The usual case writes nothing, so that requests share the cache line.
        if self.failures.load(Ordering::Relaxed) > 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
    }

    /// A request failed, and the server is to blame.
    pub(crate) fn failed(self: &Arc<Self>, limits: Failures) {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        if limits.consecutive == 0 || failures < limits.consecutive {
            return;
        }
        let mut verdict = self.verdict();
        if verdict.paused || !verdict.others_are_up() {
            return;
        }
        verdict.paused = true;
        verdict.pauses += 1;
        let this_pause = verdict.pauses;
        let name = verdict.tell();
        // The others may have gone down since they were looked at.
        settle_group(verdict);
        let pause = limits.pause;
        log::warn!("server {name} is out for {pause:?}: {failures} requests in a row failed");
        let health = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            // The next failure starts the next pause.
            let all_but_one = limits.consecutive - 1;
            health.failures.store(all_but_one, Ordering::Relaxed);
            if health.verdict().pauses == this_pause {
                health.end_pause("its pause is over");
                settle_group(health.verdict());
            }
        });
    }

    /// Ends the server's pause, if it is paused. The group is to be settled after that.
    pub(crate) fn end_pause(&self, reason: &str) {
        let mut verdict = self.verdict();
        if verdict.paused {
            verdict.paused = false;
            let name = verdict.tell();
            log::info!("server {name} gets requests again: {reason}");
        }
    }

    /// An active check has passed or failed.
    pub(crate) fn checked(&self, passed: bool, config: &Health) {
        let mut verdict = self.verdict();
        if passed != verdict.sick {
            verdict.contrary = 0;
            return;
        }
        verdict.contrary += 1;
        let needed = if passed {
            config.healthy
        } else {
            config.unhealthy
        };
        if verdict.contrary < needed {
            return;
        }
        verdict.contrary = 0;
        verdict.sick = !passed;
        let name = verdict.tell();
        settle_group(verdict);
        if passed {
            log::info!("server {name} is back: it passed {needed} checks in a row");
        } else {
            log::warn!("server {name} is out: it failed {needed} checks in a row");
        }
    }

    /// There are no active checks any more, so they cannot fail.
    pub(crate) fn unchecked(&self) {
        let mut verdict = self.verdict();
        verdict.sick = false;
        verdict.contrary = 0;
        verdict.tell();
        settle_group(verdict);
    }

    /// The operator says whether the server is drained: it gets no requests then.
    pub(crate) fn drain(&self, drained: bool) {
        let mut verdict = self.verdict();
        verdict.drained = drained;
        let name = verdict.tell();
        settle_group(verdict);
        if drained {
            log::info!("server {name} is drained");
        } else {
            log::info!("server {name} is not drained any more");
        }
    }

    pub(crate) fn is_drained(&self) -> bool {
        self.verdict().drained
    }
}

/// Lets the group of a server draw its conclusions from the verdict, which is not locked then.
fn settle_group(verdict: MutexGuard<'_, Verdict>) {
    let group = verdict
        .member
        .as_ref()
        .and_then(|(group, _)| group.upgrade());
    drop(verdict);
    if let Some(group) = group {
        group.settle();
    }
}

impl Verdict {
    fn is_up(&self) -> bool {
        !self.sick && !self.paused && !self.drained
    }

    fn others_are_up(&self) -> bool {
        let Some((group, key)) = &self.member else {
            return false;
        };
        let servers = group.upgrade().map(|it| it.balancer.state().servers);
        let mut servers = servers.iter().flatten();
        servers.any(|server| server.up && server.key != *key)
    }

    /// Tells the balancer whether the server is up, and returns the server's name. It is called
    /// under the lock, so that the balancer hears the verdicts in order.
    fn tell(&self) -> ServerKey {
        let Some((group, key)) = &self.member else {
            return "that has left".into();
        };
        if let Some(group) = group.upgrade() {
            group.balancer.set_up(key, self.is_up());
        }
        Arc::clone(key)
    }
}
