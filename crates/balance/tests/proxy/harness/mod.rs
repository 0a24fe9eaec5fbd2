//! What the tests share: servers, a proxy, clients.

mod client;
mod proxy;
mod server;
mod tls;

pub(crate) use client::{Answer, Connection, get, send};
pub(crate) use proxy::{Proxy, configuration, with_backup};
pub(crate) use server::{Behaviour, Seen, Server};
pub(crate) use tls::{
    Files, ask_for_name, ask_over_tls, certificate, client, client_of, client_with, der, encrypted,
    encrypted_over, fields, tls,
};

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
