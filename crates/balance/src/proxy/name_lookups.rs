//! The names of servers are looked up again, since their addresses may change.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use super::group::Group;
use super::servers::Upstream;

/// Starts to look up the names of the servers of `group`, until `tasks` is dropped.
pub(crate) fn start(group: &Group, tasks: &mut JoinSet<()>) {
    for server in group.servers.iter().filter(|server| server.has_name) {
        let (server, interval) = (Arc::clone(server), group.config.resolve);
        tasks.spawn(follow(server, interval, async |name: &str| {
            Ok(tokio::net::lookup_host(name).await?.collect())
        }));
    }
}

/// Looks the name of a server up at intervals, and sends requests to its new address if it has one.
async fn follow(
    server: Arc<Upstream>,
    interval: Duration,
    look_up: impl AsyncFn(&str) -> io::Result<Vec<SocketAddr>>,
) {
    let mut is_known = true;
    loop {
        tokio::time::sleep(interval).await;
        let found = look_up(&server.name).await;
        let was_known = std::mem::replace(&mut is_known, found.is_ok());
        match found {
            Ok(found) => {
                let current = server.address().ip();
                if let Some(address) = current.and_then(|current| renewed(current, &found)) {
                    log::info!("server {} is now at {address}", server.name);
                    server.move_to(address.into());
                }
            }
            Err(error) if was_known => {
                let (name, address) = (&server.name, server.address());
                log::warn!("cannot look up {name}, requests go on to {address}: {error}");
            }
            Err(_) => {}
        }
    }
}

/// The address to move to: none while the current one is still good, or if there is no other.
fn renewed(current: SocketAddr, found: &[SocketAddr]) -> Option<SocketAddr> {
    if found.contains(&current) {
        return None;
    }
    found.first().copied()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::proxy::config::Config;

    fn address(last: u8) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, last], 8001))
    }

    #[test]
    fn an_address_stays_while_it_is_good() {
        assert_eq!(renewed(address(1), &[address(2), address(1)]), None);
        assert_eq!(
            renewed(address(1), &[address(2), address(3)]),
            Some(address(2))
        );
        assert_eq!(renewed(address(1), &[]), None);
    }

    #[tokio::test]
    async fn a_server_moves_with_its_name() {
        let text = "[[listeners]]\naddress = \"127.0.0.1:8080\"\n[[groups]]\nname = \"all\"\n\
                    [[groups.servers]]\naddress = \"127.0.0.1:8001\"\n";
        let config = Config::parse("file", Path::new(""), text).unwrap();
        let group = Group::new(config.groups[0].clone(), None, 1).unwrap();
        let server = Arc::clone(&group.servers[0]);
        assert!(!server.has_name, "an address is not looked up");
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        let follow = follow(
            Arc::clone(&server),
            Duration::from_millis(1),
            async move |_: &str| match counted.fetch_add(1, Ordering::Relaxed) {
                0 => Ok(vec![address(1)]),
                1 => Err(io::ErrorKind::NotFound.into()),
                2 => Ok(vec![address(2), address(1)]),
                _ => Ok(vec![address(2)]),
            },
        );
        let moved = async {
            while server.address() != address(2).into() {
                let asked = asked.load(Ordering::Relaxed);
                assert_eq!(server.address(), address(1).into(), "after {asked} answers");
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            () = follow => unreachable!("it goes on for ever"),
            () = moved => {}
        }
        assert!(asked.load(Ordering::Relaxed) >= 4);
    }
}
