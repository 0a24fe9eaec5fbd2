//! What the tests share: servers, a proxy, clients.

mod client;
mod proxy;
mod server;

pub(crate) use client::{Answer, Connection, get, send};
pub(crate) use proxy::{Proxy, configuration, with_backup};
pub(crate) use server::{Behaviour, Seen, Server};

use std::time::Duration;

/// Whatever takes this long hangs.
pub(crate) const HANG: Duration = Duration::from_secs(60);

/// Waits until `done` returns true.
pub(crate) async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !done().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(HANG, waiting)
        .await
        .unwrap_or_else(|_| panic!("waited in vain: {what}"));
}
