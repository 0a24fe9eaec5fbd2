//! Whether a server is up, by what checks and requests have shown.
//!
//! Two opinions count, and a server is up if neither is against it: that of the active checks, which ask
//! it at intervals, and that of the requests it got, so many of which failed in a row. The latter is
//! a pause: when it ends the server gets requests again, and the first failure starts the next. The last
//! server of a group gets no pause: there would be nobody left to send to.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::config::{Failures, Health};
use super::groups::{Key, Live};
use super::metrics::ServerCounts;

/// What is known about a server's health, and what it has done. It outlives reloads.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    pub(crate) counts: ServerCounts,
    /// Failed requests in a row.
    failures: AtomicU32,
    opinions: Mutex<Opinions>,
}

#[derive(Debug, Default)]
struct Opinions {
    /// Where the server is dispatched to, and under which name. A reload can change both.
    place: Option<(Weak<Live>, Key)>,
    /// The active checks are against the server.
    sick: bool,
    /// Checks in a row that spoke against the current opinion.
    contrary: u32,
    /// The requests are against it, for a while.
    paused: bool,
}

impl Standing {
    fn opinions(&self) -> MutexGuard<'_, Opinions> {
        self.opinions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on the server is dispatched to here, which is told at once whether it is up.
    pub(crate) fn settle(&self, live: &Arc<Live>, key: &Key) {
        let mut opinions = self.opinions();
        opinions.place = Some((Arc::downgrade(live), Arc::clone(key)));
        opinions.tell();
    }

    /// The server has left the group: what becomes of it concerns nobody, not even one of the same name that
    /// joins later.
    pub(crate) fn leave(&self) {
        self.opinions().place = None;
    }

    /// A request was answered.
    pub(crate) fn succeeded(&self) {
        // Mostly there is nothing to forget, and then nothing is written.
        if self.failures.load(Ordering::Relaxed) > 0 {
            self.failures.store(0, Ordering::Relaxed);
        }
    }

    /// A request failed, by the server's fault.
    pub(crate) fn failed(self: &Arc<Self>, limits: Failures) {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        if limits.consecutive == 0 || failures < limits.consecutive {
            return;
        }
        let mut opinions = self.opinions();
        if opinions.paused || !opinions.others_are_up() {
            return;
        }
        opinions.paused = true;
        let name = opinions.tell();
        drop(opinions);
        let pause = limits.pause;
        log::warn!("server {name} is out for {pause:?}: {failures} requests in a row failed");
        let standing = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            let once_more = limits.consecutive - 1;
            standing.failures.store(once_more, Ordering::Relaxed);
            let mut opinions = standing.opinions();
            opinions.paused = false;
            let name = opinions.tell();
            log::info!("server {name} gets requests again after its pause");
        });
    }

    /// An active check was passed or not.
    pub(crate) fn checked(&self, passed: bool, said: &Health) {
        let mut opinions = self.opinions();
        if passed != opinions.sick {
            opinions.contrary = 0;
            return;
        }
        opinions.contrary += 1;
        let needed = if passed { said.healthy } else { said.unhealthy };
        if opinions.contrary < needed {
            return;
        }
        opinions.contrary = 0;
        opinions.sick = !passed;
        let name = opinions.tell();
        drop(opinions);
        if passed {
            log::info!("server {name} is back: it passed {needed} checks in a row");
        } else {
            log::warn!("server {name} is out: it failed {needed} checks in a row");
        }
    }

    /// Checks are no longer made, so they have no opinion.
    pub(crate) fn unchecked(&self) {
        let mut opinions = self.opinions();
        opinions.sick = false;
        opinions.contrary = 0;
        opinions.tell();
    }
}

impl Opinions {
    fn others_are_up(&self) -> bool {
        let Some((live, key)) = &self.place else {
            return false;
        };
        let servers = live.upgrade().map(|live| live.balancer.state().servers);
        let mut servers = servers.iter().flatten();
        servers.any(|server| server.up && server.key != *key)
    }

    /// Tells the balancer, and gives the server's name. Called with the lock held, so that the last to speak is
    /// the last to be heard.
    fn tell(&self) -> Key {
        let Some((live, key)) = &self.place else {
            return "that is new".into();
        };
        if let Some(live) = live.upgrade() {
            let up = !self.sick && !self.paused;
            live.balancer.set_up(key, up);
            if up {
                live.queue.wake();
            }
        }
        Arc::clone(key)
    }
}
