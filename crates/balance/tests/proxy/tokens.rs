//! Tokens: from servers that are believed, from servers that are not, and from clients.

use crate::harness::{Behaviour, Proxy, Server, until};

const IDLE: Behaviour = Behaviour::Answer {
    after: std::time::Duration::ZERO,
    headers: "filch-token: idle\r\n",
};
const BUSY: Behaviour = Behaviour::Answer {
    after: std::time::Duration::ZERO,
    headers: "filch-token: busy\r\n",
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_are_taken_and_not_passed_on() {
    let server = Server::start(IDLE).await;
    let proxy = Proxy::before(&[&server], "server.tokens = true").await;
    for (behaviour, held) in [(IDLE, true), (BUSY, false), (IDLE, true)] {
        server.behave(behaviour);
        let answer = proxy.get("/").await.expect("an answer");
        assert_eq!(answer.header("filch-token"), None);
        proxy.settled().await;
        assert_eq!(proxy.server(&server).await["token"], held);
    }
    let state = proxy.state().await;
    assert_eq!(state["groups"][0]["tokens_received"], 2);
    assert_eq!(state["groups"][0]["tokens_ignored"], 0);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_not_believed_is_ignored_and_counted() {
    let server = Server::start(IDLE).await;
    let proxy = Proxy::before(&[&server], "").await;
    let answer = proxy.get("/").await.expect("an answer");
    assert_eq!((answer.status, answer.header("filch-token")), (200, None));
    proxy.settled().await;
    assert_eq!(
        proxy
            .metric("filch_tokens_ignored_total{group=\"all\"}")
            .await,
        1.0
    );
    assert_eq!(
        proxy
            .metric("filch_tokens_received_total{group=\"all\"}")
            .await,
        0.0
    );
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_cannot_forge_one() {
    let server = Server::start(BUSY).await;
    let proxy = Proxy::before(&[&server], "server.tokens = true").await;
    for header in [
        "filch-token: idle",
        "Filch-Token: idle\r\nFILCH-TOKEN: idle",
    ] {
        let request = format!("GET / HTTP/1.1\r\nhost: a\r\n{header}\r\n\r\n");
        assert_eq!(
            proxy
                .send(request.as_bytes())
                .await
                .expect("an answer")
                .status,
            200
        );
    }
    proxy.settled().await;
    assert_eq!(proxy.server(&server).await["token"], false);
    let seen = server.seen();
    let heads = seen.iter().map(|seen| seen.head.to_ascii_lowercase());
    assert!(
        heads.into_iter().all(|head| !head.contains("filch-token")),
        "{seen:?}"
    );
    assert_eq!(proxy.metric("filch_forged_tokens_total").await, 2.0);
    proxy.finish().await;
}

/// Many servers take `_` for `-` in names of fields.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_cannot_forge_one_by_another_spelling() {
    let server = Server::start(BUSY).await;
    let proxy = Proxy::before(&[&server], "").await;
    let request = "GET / HTTP/1.1\r\nhost: a\r\nFilch_Token: idle\r\n\
                   X_Forwarded_For: 6.6.6.6\r\nx-forwarded_proto: https\r\n\
                   an_other: 1\r\n\r\n";
    let answer = proxy.send(request.as_bytes()).await.expect("an answer");
    assert_eq!(answer.status, 200);
    let head = server.seen()[0].head.to_ascii_lowercase();
    for gone in ["token", "6.6.6.6", "https", "x_", "forwarded_"] {
        assert!(!head.contains(gone), "{head}");
    }
    assert!(head.contains("\r\nan_other: 1"), "{head}");
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_cannot_be_reached_loses_its_token() {
    let server = Server::start(IDLE).await;
    let other = Server::start(IDLE).await;
    let group = "policy = \"idle-fastest(sed)\"\n\
                 failures = { consecutive = 0 }\nserver.tokens = true";
    let proxy = Proxy::before(&[&server, &other], group).await;
    let name = server.address.to_string();
    drop(server);
    until("the dead server has lost its token", async || {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        let state = proxy.state().await;
        let servers = state["groups"][0]["servers"].as_array().unwrap();
        let dead = servers
            .iter()
            .find(|server| server["name"] == *name)
            .unwrap();
        dead["failed"] == 1 && dead["token"] == false
    })
    .await;
    // It has nothing to do and so looks idle, but gets no requests while another server is idle.
    for _ in 0..20 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    assert_eq!(
        proxy.metric("filch_retries_total{group=\"all\"}").await,
        1.0
    );
    proxy.finish().await;
}
