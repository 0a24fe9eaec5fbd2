//! Decisions, tokens and statistics.

use std::time::Duration;

use bytes::Bytes;
use filch_balance::TOKEN_HEADER;
use filch_policy::dispatch::Spec;
use http::Request;
use http_body_util::Full;

use crate::harness::{Client, Config, Envoy, Mood, Server, publish, until, with_each};

/// While a server is busy, requests go to the idle one; when both are busy, to the shorter queue.
#[test]
fn an_idle_server_comes_first() {
    with_each(async |stock| {
        let servers = [Server::start().await, Server::start().await];
        let addresses = servers.each_ref().map(Server::address);
        let envoy = Envoy::start(stock, &Config::new("idle(jsq)", &addresses)).await;
        let client = Client::http1();
        for server in &servers {
            server.set(Mood::Hang);
        }
        let mut hanging = Vec::new();
        for sent in 1..=6 {
            let (client, front) = (client.clone(), envoy.front());
            hanging.push(tokio::spawn(async move { client.get(front, "/").await }));
            until("the request arrives", async || {
                let present = servers.each_ref().map(Server::present);
                (present.iter().sum::<usize>() == sent).then_some(())
            })
            .await;
            let [first, second] = servers.each_ref().map(Server::present);
            assert!(
                first.abs_diff(second) <= 1,
                "{first} and {second} after {sent}"
            );
        }
        let stats = envoy.stats().await;
        assert_eq!(stats.of("filch_in_flight"), 6);
        assert_eq!(stats.of("filch_sent_to_idle"), 2);
        assert_eq!(stats.of("filch_sent_to_busy"), 4);
        for request in &hanging {
            request.abort();
        }
        envoy.until_quiet().await;
        assert_eq!(envoy.stats().await.of("filch_unanswered"), 6);
    });
}

/// The faster of two idle servers gets the requests, once their speeds are known.
#[test]
fn speeds_are_learned() {
    with_each(async |stock| {
        let servers = [Server::start().await, Server::start().await];
        servers[0].set(Mood::Answer(Duration::from_millis(100)));
        servers[1].set(Mood::Answer(Duration::from_millis(5)));
        let addresses = servers.each_ref().map(Server::address);
        let envoy = Envoy::start(stock, &Config::new("idle-fastest(sed)", &addresses)).await;
        let client = Client::http1();
        for _ in 0..60 {
            assert_eq!(client.get(envoy.front(), "/").await.unwrap().status, 200);
        }
        let [slow, fast] = servers.each_ref().map(Server::served);
        assert!(slow <= 12 && fast >= 48, "{slow} and {fast}");
    });
}

/// The header of tokens is the servers': clients' are dropped, and clients do not see it.
#[test]
fn tokens_do_not_pass_through() {
    with_each(async |stock| {
        let server = Server::with_tokens().await;
        let policy = r#"{"policy": "pi", "tokens": true}"#;
        let envoy = Envoy::start(stock, &Config::new(policy, &[server.address()])).await;
        let client = Client::http1();
        for _ in 0..5 {
            let request = Request::get(format!("http://{}/", envoy.front()))
                .header(TOKEN_HEADER, "idle")
                .header(TOKEN_HEADER, "busy");
            let answer = client
                .send(request.body(Full::<Bytes>::default()).unwrap())
                .await;
            let answer = answer.unwrap();
            assert_eq!((answer.status, answer.body.as_str()), (200, "hello\n"));
            assert!(!answer.headers.contains_key(TOKEN_HEADER));
        }
        assert_eq!(server.forged(), 0);
        let stats = envoy.stats().await;
        assert_eq!(stats.of("filch_told_idle"), 5);
        assert_eq!(stats.of("filch_answered"), 5);
    });
}

/// Without tokens the filter looks at no header but the status.
#[test]
fn without_tokens_their_header_is_like_any_other() {
    with_each(async |stock| {
        let server = Server::with_tokens().await;
        let envoy = Envoy::start(stock, &Config::new("pi", &[server.address()])).await;
        let request = Request::get(format!("http://{}/", envoy.front())).header(TOKEN_HEADER, "x");
        let request = request.body(Full::<Bytes>::default()).unwrap();
        let answer = Client::http1().send(request).await.unwrap();
        assert_eq!(answer.headers[TOKEN_HEADER], "idle");
        assert_eq!(server.forged(), 1);
        let stats = envoy.stats().await;
        assert_eq!(stats.of("filch_told_idle"), 0);
        assert_eq!(stats.of("filch_answered"), 1);
    });
}

#[test]
fn statistics_are_envoys_own() {
    with_each(async |stock| {
        let server = Server::start().await;
        let envoy = Envoy::start(stock, &Config::new("", &[server.address()])).await;
        Client::http1().get(envoy.front(), "/").await.unwrap();
        let stats = envoy.stats().await;
        for name in [
            "envoy_cluster_dynamicmodulescustom_filch_answered{envoy_cluster_name=\"servers\"} 1",
            "envoy_cluster_dynamicmodulescustom_filch_sent_to_idle{",
            "envoy_cluster_dynamicmodulescustom_filch_in_flight{",
            "envoy_dynamicmodulescustom_filch_refused{} 0",
            "envoy_dynamicmodulescustom_filch_panics{} 0",
            "envoy_dynamicmodulescustom_filch_servers{} 1",
            "envoy_dynamicmodulescustom_filch_servers_healthy{} 1",
        ] {
            assert!(stats.has(name), "{name}");
        }
    });
}

/// Every policy of the list serves, alone and under every combinator, one after the other in the
/// same Envoy.
#[test]
fn every_policy_serves() {
    with_each(async |stock| {
        let servers = [
            Server::start().await,
            Server::start().await,
            Server::start().await,
        ];
        let addresses = servers.each_ref().map(Server::address);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("clusters.json");
        let mut config = Config::new("round-robin", &addresses);
        config.clusters = Some(file.clone());
        publish(&file, &config.cluster_file());
        let envoy = Envoy::start(stock, &config).await;
        let client = Client::http1();
        for policy in Spec::examples(1) {
            config.policy = policy.to_string();
            envoy.update_clusters(&file, &config).await;
            let before = envoy.stats().await.of("filch_answered");
            for _ in 0..5 {
                let answer = client.get(envoy.front(), "/").await.unwrap();
                assert_eq!(answer.status, 200, "{policy}");
            }
            let answered = envoy.stats().await.of("filch_answered") - before;
            assert_eq!(answered, 5, "{policy}");
        }
        let stats = envoy.stats().await;
        assert_eq!(
            (stats.of("filch_panics"), stats.of("filch_in_flight")),
            (0, 0)
        );
    });
}
