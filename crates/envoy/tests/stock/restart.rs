//! Configuration updates and hot restarts: what was learned stays.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use crate::harness::{Client, Config, Envoy, Mood, Server, Stock, publish, until, with_each};

/// One server is slow and one is fast.
async fn two_servers() -> [Server; 2] {
    let servers = [Server::start().await, Server::start().await];
    servers[0].set(Mood::Answer(Duration::from_millis(200)));
    servers[1].set(Mood::Answer(Duration::from_millis(10)));
    servers
}

/// How many of some requests go to the slow server.
async fn to_the_slow_one(envoy: &Envoy, servers: &[Server; 2]) -> u64 {
    let client = Client::http1();
    let before = servers[0].served();
    for _ in 0..10 {
        assert_eq!(client.get(envoy.front(), "/").await.unwrap().status, 200);
    }
    servers[0].served() - before
}

/// Learns until the slow server is left alone.
async fn learn(envoy: &Envoy, servers: &[Server; 2]) {
    until("the slow server is known to be slow", async || {
        (to_the_slow_one(envoy, servers).await == 0).then_some(())
    })
    .await;
}

/// Without what was learned, at least one request would go to the slow server: it would be taken
/// for as fast as the other.
#[test]
fn another_policy_inherits_what_was_learned() {
    with_each(async |stock| {
        let servers = two_servers().await;
        let addresses = servers.each_ref().map(Server::address);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("clusters.json");
        let mut config = Config::new("idle-fastest(sed)", &addresses);
        config.clusters = Some(file.clone());
        publish(&file, &config.cluster_file());
        let envoy = Envoy::start(stock, &config).await;
        learn(&envoy, &servers).await;

        // The same policy, then another: both replace the cluster.
        for policy in [r#"{"policy": "idle-fastest(sed)"}"#, "idle-fastest(jsq)"] {
            config.policy = policy.to_owned();
            envoy.update_clusters(&file, &config).await;
            assert_eq!(to_the_slow_one(&envoy, &servers).await, 0, "{policy}");
        }
        assert_eq!(envoy.stats().await.of("filch_panics"), 0);
    });
}

/// Servers that stay keep what was learned when others come and go, and so does a server that comes
/// back.
#[test]
fn other_servers_leave_what_was_learned() {
    with_each(async |stock| {
        let servers = two_servers().await;
        let third = Server::start().await;
        third.set(Mood::Answer(Duration::from_millis(10)));
        let [slow, fast] = servers.each_ref().map(Server::address);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("endpoints.json");
        let mut config = Config::new("idle-fastest(sed)", &[slow, fast]);
        config.endpoints = Some(file.clone());
        publish(&file, &config.endpoint_file());
        let envoy = Envoy::start(stock, &config).await;
        learn(&envoy, &servers).await;

        let third = third.address();
        let memberships = [
            vec![slow, fast, third],
            vec![fast, third], // the slow one leaves,
            vec![fast, slow],  // and comes back
        ];
        for addresses in memberships {
            config.priorities = vec![addresses.iter().map(|&it| (it, 1)).collect()];
            publish(&file, &config.endpoint_file());
            let all = addresses.len() as u64;
            until("a worker has the new servers", async || {
                let stats = envoy.stats().await;
                (stats.of("filch_servers") == all).then_some(())
            })
            .await;
            assert_eq!(to_the_slow_one(&envoy, &servers).await, 0, "{addresses:?}");
        }
        assert_eq!(envoy.stats().await.of("filch_panics"), 0);
    });
}

/// A process that follows a hot restart starts with what the one before has learned.
#[test]
fn a_hot_restart_keeps_what_was_learned() {
    with_each(async |stock| {
        let servers = two_servers().await;
        let addresses = servers.each_ref().map(Server::address);
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("learned.json");
        let policy = serde_json::json!({ "policy": "idle-fastest(sed)", "state": state });
        let config = Config::new(&policy.to_string(), &addresses);
        let base_id = base_id(stock);
        let epoch = |number: &'static str| {
            let base_id = base_id.clone();
            async move {
                [
                    "--base-id".to_owned(),
                    base_id,
                    "--restart-epoch".to_owned(),
                    number.to_owned(),
                ]
            }
        };
        let arguments = epoch("0").await;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let first = Envoy::start_with(stock, &config, &arguments).await;
        learn(&first, &servers).await;
        until("what was learned is written down", async || {
            let text = fs::read_to_string(&state).ok()?;
            let file: Value = serde_json::from_str(&text).ok()?;
            let rows = file["servers"].as_object()?;
            addresses
                .iter()
                .all(|it| rows.contains_key(&it.to_string()))
                .then_some(())
        })
        .await;

        let arguments = epoch("1").await;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let second = Envoy::start_with(stock, &config, &arguments).await;
        drop(first);
        assert_eq!(to_the_slow_one(&second, &servers).await, 0);
        assert_eq!(second.stats().await.of("filch_panics"), 0);
    });
}

/// A number that no other Envoy on this machine is likely to use.
fn base_id(stock: &Stock) -> String {
    let version: u32 = stock.version.bytes().map(u32::from).sum();
    (std::process::id() % 1_000_000 * 1_000 + version % 1_000).to_string()
}
