//! Servers that come and go, weights, priorities and health.

use std::time::Duration;

use crate::harness::{Client, Config, Envoy, Mood, Server, publish, until, with_each};

/// A server that leaves gets nothing more; one that comes gets its share.
#[test]
fn servers_come_and_go() {
    with_each(async |stock| {
        let servers = [Server::start().await, Server::start().await];
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("endpoints.json");
        let mut config = Config::new("round-robin", &[servers[0].address()]);
        config.endpoints = Some(file.clone());
        publish(&file, &config.endpoint_file());
        let envoy = Envoy::start(stock, &config).await;
        let client = Client::http1();
        for _ in 0..4 {
            assert_eq!(client.get(envoy.front(), "/").await.unwrap().status, 200);
        }
        assert_eq!(servers[0].served(), 4);

        config.priorities = vec![vec![(servers[1].address(), 1)]];
        publish(&file, &config.endpoint_file());
        until("the second server is used", async || {
            assert_eq!(client.get(envoy.front(), "/").await.unwrap().status, 200);
            (servers[1].served() > 0).then_some(())
        })
        .await;
        until("all workers have heard of it", async || {
            let before = servers[0].served();
            for _ in 0..20 {
                // A connection of its own each time, so that both workers are asked.
                let answer = Client::http1().get(envoy.front(), "/").await.unwrap();
                assert_eq!(answer.status, 200);
            }
            (servers[0].served() == before).then_some(())
        })
        .await;

        config.priorities = vec![servers.iter().map(|it| (it.address(), 1)).collect()];
        publish(&file, &config.endpoint_file());
        let before = servers[0].served();
        until("the first server is back", async || {
            client.get(envoy.front(), "/").await.unwrap();
            (servers[0].served() > before).then_some(())
        })
        .await;
        assert_eq!(envoy.stats().await.of("filch_panics"), 0);
    });
}

/// Weights are speeds if speeds are not learned.
#[test]
fn weights_count() {
    with_each(async |stock| {
        let servers = [Server::start().await, Server::start().await];
        for server in &servers {
            server.set(Mood::Hang);
        }
        let mut config = Config::new(r#"{"policy": "sed", "speeds": "weights"}"#, &[]);
        config.priorities = vec![vec![(servers[0].address(), 1), (servers[1].address(), 3)]];
        let envoy = Envoy::start(stock, &config).await;
        let client = Client::http1();
        let mut hanging = Vec::new();
        for sent in 1..=8 {
            let (client, front) = (client.clone(), envoy.front());
            hanging.push(tokio::spawn(async move { client.get(front, "/").await }));
            until("the request arrives", async || {
                let present = servers.each_ref().map(Server::present);
                (present.iter().sum::<usize>() == sent).then_some(())
            })
            .await;
        }
        assert_eq!(servers.each_ref().map(Server::present), [2, 6]);
        hanging.iter().for_each(tokio::task::JoinHandle::abort);
    });
}

/// The second priority is used when the first is down, and only then.
#[test]
fn priorities_and_health() {
    with_each(async |stock| {
        let servers = [Server::start().await, Server::start().await];
        let mut config = Config::new("jsq", &[]);
        config.priorities = servers.iter().map(|it| vec![(it.address(), 1)]).collect();
        config.health_checks = true;
        let envoy = Envoy::start(stock, &config).await;
        let healthy = async |count: u64| {
            until("health is as expected", async || {
                let stats = envoy.stats().await;
                (stats.of("filch_servers_healthy") == count).then_some(())
            })
            .await;
        };
        healthy(2).await;
        let client = Client::http1();
        for _ in 0..10 {
            assert_eq!(client.get(envoy.front(), "/").await.unwrap().status, 200);
        }
        assert_eq!(servers.each_ref().map(Server::served), [10, 0]);

        servers[0].set(Mood::Hang); // its health check fails
        healthy(1).await;
        until("the second priority is used", async || {
            let request = Client::http1();
            let wait =
                tokio::time::timeout(Duration::from_secs(1), request.get(envoy.front(), "/"));
            wait.await.is_ok_and(|it| it.is_ok()).then_some(())
        })
        .await;
        assert!(servers[1].served() > 0);

        servers[1].set(Mood::Hang);
        healthy(0).await;
        until("no server is left", async || {
            let answer = Client::http1().get(envoy.front(), "/").await.unwrap();
            (answer.status == 503).then_some(())
        })
        .await;
        assert!(envoy.stats().await.of("filch_refused") > 0);

        servers[0].set(Mood::Answer(Duration::ZERO));
        healthy(1).await;
        until("the first priority is back", async || {
            let answer = Client::http1().get(envoy.front(), "/").await.unwrap();
            (answer.status == 200).then_some(())
        })
        .await;
    });
}
