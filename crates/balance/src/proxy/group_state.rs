use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, RwLock};

use super::config::{GroupConfig, ServerConfig};
use super::metrics::GroupCounts;
use super::servers::Upstream;
use crate::poison::unpoisoned;
use crate::{Balancer, Options, Outcome, Outcomes, Server, Speeds};

/// A server is known by its address as the configuration writes it.
pub(crate) type ServerKey = Arc<str>;

/// What a group has learned, counted and given out. It passes from one configuration to the next.
pub(crate) struct GroupState {
    pub(crate) balancer: Balancer<ServerKey>,
    pub(crate) counts: Arc<GroupCounts>,
    servers: RwLock<HashMap<ServerKey, Arc<Upstream>>>,
    /// Held by [`settle`](Self::settle), before any other lock.
    settling: Mutex<()>,
}

impl GroupState {
    /// The state of a group that starts anew: all servers are taken for idle, nothing is known
    /// about speeds. The error says what is wrong with the policy.
    pub(crate) fn new(config: &GroupConfig, counts: Arc<GroupCounts>) -> Result<Self, String> {
        Ok(Self {
            balancer: balancer(config)?,
            counts,
            servers: RwLock::default(),
            settling: Mutex::default(),
        })
    }

    /// The server with this key, as the newest configuration that has it describes it.
    pub(crate) fn server(&self, key: &str) -> Option<Arc<Upstream>> {
        unpoisoned(self.servers.read()).get(key).cloned()
    }

    /// Makes `servers` the servers that requests are sent to. Servers that are not among them stay
    /// known until [`forget_others`](Self::forget_others). `config` has been checked, so nothing
    /// can fail.
    pub(crate) fn install(self: &Arc<Self>, config: &GroupConfig, servers: &[Arc<Upstream>]) {
        // A server must be known before it can be chosen.
        let entries = servers
            .iter()
            .map(|it| (Arc::clone(&it.name), Arc::clone(it)));
        unpoisoned(self.servers.write()).extend(entries);
        let updated = self.balancer.update(balanced(config));
        debug_assert!(updated.is_ok(), "the configuration was checked");
        for server in servers {
            server.health.join(self, &server.name);
        }
        self.settle();
    }

    /// A server has gone down or up, or has left: if none is up, all pauses end, and backups get
    /// requests if no other server is up.
    pub(crate) fn settle(&self) {
        // What is seen here must not be acted on after what is seen later.
        let _settling = unpoisoned(self.settling.lock());
        let servers: Vec<_> = unpoisoned(self.servers.read()).values().cloned().collect();
        if self.up().is_empty() {
            for server in &servers {
                server.health.end_pause("no other server is up");
            }
        }
        // Also where there is no backup: a reload may have made one a server like the others.
        let up = self.up();
        let is_up = |server: &Arc<Upstream>| !server.backup && up.contains(&server.name);
        let needed = !servers.iter().any(is_up);
        for server in &servers {
            self.balancer
                .set_ready(&server.name, needed || !server.backup);
        }
    }

    /// The servers that are up.
    fn up(&self) -> HashSet<ServerKey> {
        let servers = self.balancer.state().servers.into_iter();
        servers
            .filter(|server| server.up)
            .map(|server| server.key)
            .collect()
    }

    /// Forgets all servers but `servers`. Requests that hold one of the others keep what they need.
    pub(crate) fn forget_others(&self, servers: &[Arc<Upstream>]) {
        let staying: HashSet<_> = servers.iter().map(|server| &server.name).collect();
        unpoisoned(self.servers.write()).retain(|key, known| {
            let stays = staying.contains(key);
            if !stays {
                known.health.leave();
            }
            stays
        });
    }
}

/// A balancer for this group, or what is wrong with its policy.
pub(crate) fn balancer(config: &GroupConfig) -> Result<Balancer<ServerKey>, String> {
    let options = Options {
        speeds: if config.learned {
            Speeds::Learned
        } else {
            Speeds::Weights
        },
        outcomes: outcomes(config),
        ..Options::of(config.policy)
    };
    Balancer::new(options, balanced(config)).map_err(|error| error.to_string())
}

/// Which answers are failures, by their status.
fn outcomes(config: &GroupConfig) -> Outcomes {
    let none = Outcomes::default().with(0..=u16::MAX, Outcome::Good);
    let failures = config.failing.iter().cloned();
    failures.fold(none, |all, statuses| all.with(statuses, Outcome::Failed))
}

fn balanced(config: &GroupConfig) -> impl Iterator<Item = Server<ServerKey>> {
    config.servers.iter().map(|server: &ServerConfig| Server {
        key: Arc::clone(&server.name),
        weight: server.weight,
        limit: server.limit,
        tokens: server.tokens,
    })
}

impl fmt::Debug for GroupState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupState").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::super::config::Config;
    use super::super::group::Group;

    /// A server is drained and brought back at the same moment: its backup gets requests if the
    /// last of the two orders says so.
    #[test]
    fn a_backup_follows_the_last_of_two_orders() {
        let text = "[[listeners]]\naddress = \"127.0.0.1:0\"\n\
                    [[groups]]\nname = \"all\"\n\
                    [[groups.servers]]\naddress = \"127.0.0.1:1\"\n\
                    [[groups.servers]]\naddress = \"127.0.0.1:2\"\nbackup = true\n";
        let config = Config::parse("proxy.toml", Path::new("/nowhere"), text).unwrap();
        let group = Group::new(config.groups[0].clone(), None, 1).unwrap();
        group.install();
        let health = &group.servers[0].health;
        let (together, disagreed) = (Barrier::new(2), AtomicUsize::new(0));
        thread::scope(|scope| {
            for drained in [true, false] {
                let (group, together, disagreed) = (&group, &together, &disagreed);
                scope.spawn(move || {
                    for _ in 0..10_000 {
                        together.wait();
                        health.drain(drained);
                        together.wait();
                        let servers = group.state.balancer.state().servers;
                        let backup = servers.iter().find(|it| it.key == group.servers[1].name);
                        let agrees = backup.unwrap().ready == health.is_drained();
                        disagreed.fetch_add(usize::from(!agrees), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(disagreed.into_inner(), 0);
    }
}
