//! Without the filter, the ends of requests are read off Envoy's counts.

use std::time::Duration;

use crate::harness::{Client, Config, Envoy, Mood, Server, until, with_each};

#[test]
fn an_idle_server_comes_first_all_the_same() {
    with_each(async |stock| {
        let servers = [Server::start().await, Server::start().await];
        let addresses = servers.each_ref().map(Server::address);
        let mut config = Config::new("idle(jsq)", &addresses);
        config.filter = false;
        let envoy = Envoy::start(stock, &config).await;
        let client = Client::http1();
        for _ in 0..50 {
            assert_eq!(client.get(envoy.front(), "/").await.unwrap().status, 200);
        }
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
        }
        let [first, second] = servers.each_ref().map(Server::present);
        assert!(first.abs_diff(second) <= 2, "{first} and {second}");
        for request in &hanging {
            request.abort();
        }
        for server in &servers {
            server.set(Mood::Answer(Duration::ZERO));
        }
        for _ in 0..50 {
            assert_eq!(client.get(envoy.front(), "/").await.unwrap().status, 200);
        }
        assert!(
            envoy.log().contains("no HTTP filter of this module"),
            "{}",
            envoy.log()
        );
    });
}

/// A server at its limit has its place again when its request has ended, as soon as the worker that
/// sent it decides again.
#[test]
fn a_limit_does_not_close_a_server_for_ever() {
    with_each(async |stock| {
        let server = Server::start().await;
        let policy = r#"{"policy": "idle(jsq)", "limit": 1}"#;
        let mut config = Config::new(policy, &[server.address()]);
        config.filter = false;
        let envoy = Envoy::start(stock, &config).await;
        for _ in 0..10 {
            until("an answer", async || {
                // A connection of its own may go to either worker.
                let answer = Client::http1().get(envoy.front(), "/").await.unwrap();
                (answer.status == 200).then_some(())
            })
            .await;
        }
        assert_eq!(server.served(), 10);
    });
}
