//! Attempts that end in unusual ways: the router tries again, asks two servers at once, follows a
//! redirect by itself, or the client leaves before there is anything to answer. Each attempt has a
//! lease of its own, and each lease ends.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::harness::{Client, Config, Envoy, Mood, Server, until, with_each};

/// The filter reads headers with tokens, and the status alone without them.
const POLICIES: [&str; 2] = [
    r#"{"policy": "round-robin", "tokens": false}"#,
    r#"{"policy": "round-robin", "tokens": true}"#,
];

/// No lease is out, and each attempt has ended in one of two ways.
async fn assert_all_ended(envoy: &mut Envoy) {
    envoy.until_quiet().await;
    envoy.assert_running();
    let stats = envoy.stats().await;
    let sent = stats.of("filch_sent_to_idle") + stats.of("filch_sent_to_busy");
    let ended = stats.of("filch_answered") + stats.of("filch_unanswered");
    assert_eq!(ended, sent);
    assert_eq!(stats.of("filch_panics"), 0);
    assert_eq!(stats.of("filch_without_lease"), 0);
}

/// The router cuts an answer off that it tries again elsewhere. Its head has said that the server
/// failed, and the server gets fewer requests.
#[test]
fn an_answer_that_is_tried_again_is_a_failure() {
    with_each(async |stock| {
        for policy in POLICIES {
            let servers = [Server::start().await, Server::start().await];
            servers[0].set(Mood::Status(503));
            let addresses = servers.each_ref().map(Server::address);
            let mut config = Config::new(policy, &addresses);
            config.route = json!({ "retry_policy": {
                "retry_on": "5xx", "num_retries": 5,
                "retry_back_off": { "base_interval": "0.001s", "max_interval": "0.002s" },
            } });
            let mut envoy = Envoy::start(stock, &config).await;
            let client = Client::http1();
            for _ in 0..200 {
                assert_eq!(client.get(envoy.front(), "/").await.unwrap().status, 200);
            }
            assert_all_ended(&mut envoy).await;
            let stats = envoy.stats().await;
            assert_eq!(stats.of("filch_unanswered"), servers[0].served());
            // In turn it would be 200, and a tenth of an equal share is 20.
            assert!(servers[0].served() < 60, "{}", servers[0].served());
        }
    });
}

/// After the time-out of an attempt a second one runs beside it, and the first answer counts.
#[test]
fn hedged_requests_have_a_lease_each() {
    with_each(async |stock| {
        for policy in POLICIES {
            let servers = [Server::start().await, Server::start().await];
            servers[0].set(Mood::Answer(Duration::from_millis(150)));
            let addresses = servers.each_ref().map(Server::address);
            let mut config = Config::new(policy, &addresses);
            config.route = json!({
                "retry_policy": {
                    "retry_on": "5xx", "num_retries": 2, "per_try_timeout": "0.03s",
                    "retry_back_off": { "base_interval": "0.001s", "max_interval": "0.002s" },
                },
                "hedge_policy": { "hedge_on_per_try_timeout": true },
            });
            let mut envoy = Envoy::start(stock, &config).await;
            let mut requests = Vec::new();
            for _ in 0..30 {
                let (client, front) = (Client::http1(), envoy.front());
                requests.push(tokio::spawn(async move { client.get(front, "/").await }));
            }
            for request in requests {
                assert_eq!(request.await.unwrap().unwrap().status, 200);
            }
            assert_all_ended(&mut envoy).await;
            let stats = envoy.stats().await;
            let sent = stats.of("filch_sent_to_idle") + stats.of("filch_sent_to_busy");
            assert!(sent > 30, "{sent}");
            assert!(stats.of("filch_unanswered") > 0);
        }
    });
}

/// Envoy follows a redirect without the client's help: two attempts for one request.
#[test]
fn redirects_that_envoy_follows_have_a_lease_each() {
    with_each(async |stock| {
        for policy in POLICIES {
            let server = Server::start().await;
            server.set(Mood::Status(302));
            let mut config = Config::new(policy, &[server.address()]);
            config.route = json!({ "internal_redirect_policy": { "max_internal_redirects": 1 } });
            let mut envoy = Envoy::start(stock, &config).await;
            let client = Client::http1();
            for _ in 0..10 {
                // The second redirect is the client's.
                assert_eq!(client.get(envoy.front(), "/").await.unwrap().status, 302);
            }
            assert_eq!(server.served(), 20);
            assert_all_ended(&mut envoy).await;
        }
    });
}

/// How far a client comes before it leaves.
#[derive(Clone, Copy, Debug)]
enum Leaves {
    InTheHead,
    InTheBody,
    BeforeTheAnswer,
    AfterTheHeadOfTheAnswer,
}

/// A client that resets its connection.
async fn leave(front: SocketAddr, server: &Server, leaves: Leaves) {
    // A server that does not read the rest of a request does not see that its client has left.
    let before = server.present();
    let mut stream = TcpStream::connect(front).await.unwrap();
    let request: &[u8] = match leaves {
        Leaves::InTheHead => b"POST / HTTP/1.1\r\nhost: loc",
        Leaves::InTheBody => {
            b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf"
        }
        Leaves::BeforeTheAnswer | Leaves::AfterTheHeadOfTheAnswer => {
            b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
        }
    };
    stream.write_all(request).await.unwrap();
    match leaves {
        Leaves::InTheHead => {}
        Leaves::InTheBody | Leaves::BeforeTheAnswer => {
            until("the request arrives", async || {
                (server.present() > before).then_some(())
            })
            .await;
        }
        Leaves::AfterTheHeadOfTheAnswer => {
            let mut head = [0; 1];
            stream.read_exact(&mut head).await.unwrap();
        }
    }
    stream.set_zero_linger().unwrap();
    drop(stream);
}

/// With a limit of one, a lease that leaks is a server that gets no request any more.
#[test]
fn clients_that_leave_early_leave_no_lease() {
    use Leaves::{AfterTheHeadOfTheAnswer, BeforeTheAnswer, InTheBody, InTheHead};
    with_each(async |stock| {
        for policy in [
            r#"{"policy": "idle(jsq)", "limit": 1}"#,
            r#"{"policy": "idle(jsq)", "limit": 1, "tokens": true}"#,
        ] {
            let server = Server::start().await;
            let config = Config::new(policy, &[server.address()]);
            let mut envoy = Envoy::start(stock, &config).await;
            for leaves in [
                InTheHead,
                InTheBody,
                BeforeTheAnswer,
                AfterTheHeadOfTheAnswer,
            ] {
                server.set(match leaves {
                    AfterTheHeadOfTheAnswer => Mood::HeadOnly,
                    _ => Mood::Hang,
                });
                leave(envoy.front(), &server, leaves).await;
                server.set(Mood::Answer(Duration::ZERO));
                let client = Client::http1();
                until("the server has its place again", async || {
                    let answer = client.get(envoy.front(), "/").await.unwrap();
                    (answer.status == 200).then_some(())
                })
                .await;
            }
            assert_all_ended(&mut envoy).await;
            assert_eq!(envoy.stats().await.of("filch_unanswered"), 3);
        }
    });
}
