//! Servers that are killed, hang, are slow, reset connections, leave and come back, under load. No
//! request is lost that another server could answer, no lease leaks, and Envoy stays up.
//! `FILCH_FAULT_REQUESTS` is how many requests there are at the least, 1,000 by default.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;

use crate::harness::{Client, Config, Envoy, Mood, Server, publish, until, with_each};

/// A load that goes on until it is stopped.
struct Load {
    stop: Arc<AtomicBool>,
    sent: Arc<AtomicU64>,
    clients: Vec<JoinHandle<Vec<String>>>,
}

impl Load {
    fn start(front: std::net::SocketAddr, clients: usize) -> Self {
        let (stop, sent) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let clients = (0..clients).map(|_| {
            let (stop, sent, client) = (stop.clone(), sent.clone(), Client::http1());
            tokio::spawn(async move {
                let mut failures = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    match client.get(front, "/").await {
                        Ok(answer) if answer.status == 200 => {}
                        Ok(answer) => failures.push(format!("{} {}", answer.status, answer.body)),
                        Err(error) => failures.push(error.to_string()),
                    }
                    sent.fetch_add(1, Ordering::Relaxed);
                }
                failures
            })
        });
        Self {
            clients: clients.collect(),
            stop,
            sent,
        }
    }

    /// Requests that have come to an end.
    fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Waits for this many more answers.
    async fn answers(&self, count: u64) {
        let from = self.sent();
        until("answers", async || {
            (self.sent() >= from + count).then_some(())
        })
        .await;
    }

    /// Ends the load. Returns what went wrong.
    async fn end(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut failures = Vec::new();
        for client in self.clients {
            failures.extend(client.await.unwrap());
        }
        failures
    }
}

/// How many requests are sent at the least, while servers fail in every way again and again.
fn requests() -> u64 {
    let given = std::env::var("FILCH_FAULT_REQUESTS").ok();
    given.and_then(|it| it.parse().ok()).unwrap_or(1_000)
}

#[test]
fn servers_that_fail_cost_no_answers() {
    with_each(async |stock| {
        let mut servers = Vec::new();
        for _ in 0..4 {
            servers.push(Server::start().await);
        }
        let addresses: Vec<_> = servers.iter().map(Server::address).collect();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("endpoints.json");
        let mut config = Config::new("idle-fastest(sed)", &addresses);
        config.endpoints = Some(file.clone());
        config.retries = 3;
        config.attempt_seconds = 2.0;
        publish(&file, &config.endpoint_file());
        let mut envoy = Envoy::start(stock, &config).await;
        let load = Load::start(envoy.front(), 8);
        load.answers(200).await;
        let part = (requests() / 50).clamp(200, 10_000);
        while load.sent() < requests() {
            servers[0].set(Mood::Hang);
            load.answers(part / 2).await;
            servers[0].set(Mood::Answer(Duration::ZERO));
            servers[1].set(Mood::Reset);
            load.answers(part).await;
            servers[1].set(Mood::Answer(Duration::from_millis(50)));
            load.answers(part).await;
            servers[1].set(Mood::Answer(Duration::ZERO));
            let killed = servers.pop().unwrap();
            let address = killed.address();
            drop(killed);
            load.answers(part).await;

            config.priorities[0].pop(); // it leaves,
            publish(&file, &config.endpoint_file());
            load.answers(part).await;
            servers.push(Server::at(address, false).await); // and comes back
            config.priorities[0].push((address, 1));
            publish(&file, &config.endpoint_file());
            load.answers(2 * part).await;
        }
        let failures = load.end().await;
        envoy.assert_running();
        assert!(failures.is_empty(), "{failures:?}");
        envoy.until_quiet().await;
        let stats = envoy.stats().await;
        assert_eq!(stats.of("filch_panics"), 0);
        let sent = stats.of("filch_sent_to_idle") + stats.of("filch_sent_to_busy");
        assert_eq!(
            stats.of("filch_answered") + stats.of("filch_unanswered"),
            sent
        );
        assert_eq!(stats.of("filch_without_lease"), 0);
    });
}

/// Clients that leave at every moment leave no lease behind.
#[test]
fn clients_that_leave_leak_nothing() {
    with_each(async |stock| {
        let servers = [Server::start().await, Server::start().await];
        for server in &servers {
            server.set(Mood::Answer(Duration::from_millis(3)));
        }
        let addresses = servers.each_ref().map(Server::address);
        let mut config = Config::new(r#"{"policy": "pi", "limit": 2}"#, &addresses);
        config.queue = Some(serde_json::json!({ "cluster": "servers", "room": 50 }));
        let mut envoy = Envoy::start(stock, &config).await;
        let mut requests = Vec::new();
        for number in 0..300_u64 {
            let (client, front) = (Client::http1(), envoy.front());
            requests.push(tokio::spawn(async move {
                let patience = Duration::from_micros(number * 97 % 9_000);
                let _ = tokio::time::timeout(patience, client.get(front, "/")).await;
            }));
            if number % 16 == 0 {
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
        }
        for request in requests {
            request.await.unwrap();
        }
        envoy.until_quiet().await;
        envoy.assert_running();
        until("no request waits", async || {
            (envoy.stats().await.of("filch_waiting") == 0).then_some(())
        })
        .await;
        // Both servers have all their places: four requests are served at once.
        for server in &servers {
            server.set(Mood::Hang);
        }
        let hanging: Vec<_> = (0..4)
            .map(|_| {
                let (client, front) = (Client::http1(), envoy.front());
                tokio::spawn(async move { client.get(front, "/").await })
            })
            .collect();
        until("four requests are served", async || {
            (servers.each_ref().map(Server::present) == [2, 2]).then_some(())
        })
        .await;
        hanging.iter().for_each(JoinHandle::abort);
        assert_eq!(envoy.stats().await.of("filch_panics"), 0);
    });
}
