//! Requests that wait for a server below its limit.

use std::time::Duration;

use serde_json::json;

use crate::harness::{Client, Config, Envoy, Mood, Server, until, with_each};

/// With one place at each server, requests wait; none is lost, and no server gets two.
#[test]
fn requests_wait_for_a_server() {
    with_each(async |stock| {
        let servers = [Server::start().await, Server::start().await];
        for server in &servers {
            server.set(Mood::Answer(Duration::from_millis(20)));
        }
        let addresses = servers.each_ref().map(Server::address);
        let mut config = Config::new(r#"{"policy": "pi", "limit": 1}"#, &addresses);
        config.queue = Some(json!({ "cluster": "servers", "timeout_ms": 60000 }));
        let envoy = Envoy::start(stock, &config).await;
        let client = Client::http1();
        let requests = (0..40).map(|_| {
            let (client, front) = (client.clone(), envoy.front());
            tokio::spawn(async move { client.get(front, "/").await.unwrap().status })
        });
        let requests: Vec<_> = requests.collect();
        let mut most = 0;
        for request in requests {
            while !request.is_finished() {
                most = most.max(servers.iter().map(Server::present).max().unwrap());
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            assert_eq!(request.await.unwrap(), 200);
        }
        assert_eq!(most, 1);
        let stats = envoy.stats().await;
        assert!(stats.of("filch_queued") > 0);
        assert_eq!(stats.of("filch_waiting"), 0);
        assert_eq!(stats.of("filch_in_flight"), 0);
        assert_eq!(stats.of("filch_answered"), 40);
    });
}

/// The room is bounded, and so is patience.
#[test]
fn the_queue_is_bounded_in_length_and_in_time() {
    with_each(async |stock| {
        let server = Server::start().await;
        server.set(Mood::Hang);
        let mut config = Config::new(r#"{"policy": "pi", "limit": 1}"#, &[server.address()]);
        config.queue = Some(json!({ "cluster": "servers", "room": 2, "timeout_ms": 500 }));
        let envoy = Envoy::start(stock, &config).await;
        let client = Client::http1();
        let send = || {
            let (client, front) = (client.clone(), envoy.front());
            tokio::spawn(async move { client.get(front, "/").await })
        };
        let hanging = send();
        until("the server is busy", async || {
            (server.present() == 1).then_some(())
        })
        .await;
        let outcomes = [send(), send(), send(), send()];
        for outcome in outcomes {
            assert_eq!(outcome.await.unwrap().unwrap().status, 503);
        }
        let stats = envoy.stats().await;
        assert_eq!(
            stats.of("filch_queue_full") + stats.of("filch_queue_timeout"),
            4
        );
        assert!(
            stats.of("filch_queue_full") <= 2,
            "{}",
            stats.of("filch_queue_full")
        );
        assert_eq!(stats.of("filch_waiting"), 0);

        // A client that leaves while it waits, and one that leaves its server, leave no trace.
        let impatient = send();
        until("it waits", async || {
            (envoy.stats().await.of("filch_waiting") == 1).then_some(())
        })
        .await;
        impatient.abort();
        hanging.abort();
        until("no request waits", async || {
            (envoy.stats().await.of("filch_waiting") == 0).then_some(())
        })
        .await;
        envoy.until_quiet().await;
        server.set(Mood::Answer(Duration::ZERO));
        assert_eq!(client.get(envoy.front(), "/").await.unwrap().status, 200);
    });
}
