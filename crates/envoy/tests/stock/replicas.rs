//! Several Envoys in front of the same servers: tokens tell each of them which servers are idle.

use std::time::Duration;

use crate::harness::{Client, Config, Envoy, Mood, Server, until, with_each};

/// A server that answers one Envoy while it is busy with another's request says so, and the first
/// Envoy sends its next request elsewhere.
#[test]
fn a_server_that_says_busy_is_not_taken_for_idle() {
    with_each(async |stock| {
        let servers = [Server::with_tokens().await, Server::with_tokens().await];
        let addresses = servers.each_ref().map(Server::address);
        let policy = r#"{"policy": "idle(round-robin)", "tokens": true, "presume_idle_ms": 0}"#;
        let envoys = [
            Envoy::start(stock, &Config::new(policy, &addresses)).await,
            Envoy::start(stock, &Config::new(policy, &addresses[..1])).await,
        ];
        // The second Envoy keeps the first server busy.
        servers[0].set(Mood::Hang);
        let (client, other) = (Client::http1(), envoys[1].front());
        let hanging = tokio::spawn(async move { client.get(other, "/").await });
        until("the first server is busy", async || {
            (servers[0].present() == 1).then_some(())
        })
        .await;
        servers[0].set(Mood::Answer(Duration::ZERO));

        // The first Envoy takes both for idle, until one of them says that it is not.
        let client = Client::http1();
        for _ in 0..2 {
            assert_eq!(
                client.get(envoys[0].front(), "/").await.unwrap().status,
                200
            );
        }
        until("the first Envoy has asked the first server", async || {
            if servers[0].served() > 0 {
                return Some(());
            }
            assert_eq!(
                client.get(envoys[0].front(), "/").await.unwrap().status,
                200
            );
            None
        })
        .await;
        let before = servers[0].served();
        for _ in 0..20 {
            assert_eq!(
                client.get(envoys[0].front(), "/").await.unwrap().status,
                200
            );
        }
        assert_eq!(servers[0].served(), before);
        assert!(envoys[0].stats().await.of("filch_told_busy") > 0);
        hanging.abort();
    });
}
