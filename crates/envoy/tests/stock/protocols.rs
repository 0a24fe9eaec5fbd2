//! HTTP/1, HTTP/2 and gRPC, on both sides.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;

use crate::harness::{Client, Config, Envoy, Server, with_each};

#[test]
fn both_versions_of_http_on_both_sides() {
    with_each(async |stock| {
        for http2 in [false, true] {
            let server = Server::with_tokens().await;
            let policy = r#"{"policy": "pi", "tokens": true}"#;
            let mut config = Config::new(policy, &[server.address()]);
            config.http2 = http2;
            let envoy = Envoy::start(stock, &config).await;
            for client in [Client::http1(), Client::http2()] {
                for _ in 0..3 {
                    let answer = client.get(envoy.front(), "/").await.unwrap();
                    assert_eq!((answer.status, answer.body.as_str()), (200, "hello\n"));
                }
            }
            let stats = envoy.stats().await;
            assert_eq!(
                (stats.of("filch_answered"), stats.of("filch_told_idle")),
                (6, 6)
            );
            assert_eq!(stats.of("filch_in_flight"), 0);
        }
    });
}

/// The answer of a call ends with its trailers, and so does the lease.
#[test]
fn grpc() {
    with_each(async |stock| {
        let server = Server::with_tokens().await;
        let mut config = Config::new("idle(jsq)", &[server.address()]);
        config.http2 = true;
        let envoy = Envoy::start(stock, &config).await;
        let client = Client::http2();
        for _ in 0..5 {
            let request = Request::post(format!("http://{}/service/method", envoy.front()))
                .header("content-type", "application/grpc")
                .header("te", "trailers");
            let body = Full::new(Bytes::from_static(&[0, 0, 0, 0, 0]));
            let answer = client.send(request.body(body).unwrap()).await.unwrap();
            assert_eq!(answer.trailers.unwrap()["grpc-status"], "0");
        }
        let stats = envoy.stats().await;
        assert_eq!(stats.of("filch_answered"), 5);
        assert_eq!(stats.of("filch_in_flight"), 0);
    });
}
