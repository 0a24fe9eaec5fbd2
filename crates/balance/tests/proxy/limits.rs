//! Limits of servers, the queue, and 503.

use crate::harness::{Behaviour, Connection, Proxy, Server, until};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_hold_and_the_rest_waits() {
    let one = Server::start(Behaviour::after(5)).await;
    let other = Server::start(Behaviour::after(5)).await;
    let group = "queue = { length = 100, wait = \"60s\" }\nserver.limit = 2";
    let proxy = Proxy::before(&[&one, &other], group).await;
    let to = proxy.address;
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..20 {
        clients.spawn(async move {
            let mut connection = Connection::open(to).await;
            for _ in 0..20 {
                connection.write(GET).await;
                let answer = connection.answer().await.expect("an answer");
                assert_eq!(answer.status, 200);
            }
        });
    }
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
    assert_eq!((one.most(), other.most()), (2, 2));
    assert_eq!(one.seen().len() + other.seen().len(), 400);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beyond_the_queue_is_503_with_retry_after() {
    let server = Server::start(Behaviour::Hang).await;
    let group =
        "queue = { length = 2, wait = \"60s\", retry_after = \"2500ms\" }\nserver.limit = 1";
    let proxy = Proxy::before(&[&server], group).await;
    let mut waiting = Vec::new();
    for number in 0..3 {
        let mut connection = Connection::open(proxy.address).await;
        connection.write(GET).await;
        waiting.push(connection);
        until("it is served or waits", async || {
            let state = proxy.state().await;
            let group = &state["groups"][0];
            let served = group["servers"][0]["outstanding"].as_u64().unwrap();
            served + group["waiting"].as_u64().unwrap() == number + 1
        })
        .await;
    }
    let answer = proxy.get("/").await.expect("an answer");
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("retry-after"), Some("3"));
    assert_eq!(
        proxy
            .metric("filch_errors_total{group=\"all\",kind=\"queue_full\"}")
            .await,
        1.0
    );
    // Clients that leave make room, at the server and in the queue.
    drop(waiting);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_that_is_too_long_is_503() {
    let server = Server::start(Behaviour::Hang).await;
    let group = "queue = { wait = \"50ms\" }\nserver.limit = 1";
    let proxy = Proxy::before(&[&server], group).await;
    let mut first = Connection::open(proxy.address).await;
    first.write(GET).await;
    until("it is being served", async || !server.seen().is_empty()).await;
    let answer = proxy.get("/").await.expect("an answer");
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("1"))
    );
    drop(first);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_request_is_served_when_a_server_comes_up() {
    let server = Server::start(Behaviour::GOOD).await;
    let address = server.address;
    let group = "queue = { wait = \"60s\" }\n\
                 health = { path = \"/well\", interval = \"20ms\", healthy = 1, unhealthy = 1 }";
    let proxy = Proxy::before(&[&server], group).await;
    drop(server);
    until("it is out", async || {
        proxy.state().await["groups"][0]["servers"][0]["up"] == false
    })
    .await;
    let to = proxy.address;
    let client = tokio::spawn(async move { crate::harness::get(to, "/wanted").await });
    until("the client waits", async || {
        proxy.state().await["groups"][0]["waiting"] == 1
    })
    .await;
    let server = Server::start_at(address, Behaviour::GOOD).await;
    assert_eq!(client.await.unwrap().expect("an answer").status, 200);
    let seen = server.seen();
    let wanted = seen.iter().filter(|seen| seen.head.contains("/wanted"));
    assert_eq!(wanted.count(), 1);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_headers_are_refused() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let with = |name: &str, size: usize| {
        format!(
            "GET / HTTP/1.1\r\nhost: a\r\n{name}: {}\r\n\r\n",
            "x".repeat(size)
        )
    };
    let fits = proxy.send(with("x", 60_000).as_bytes()).await.unwrap();
    assert_eq!(fits.status, 200);
    for (request, statuses) in [
        (with("x", 70_000), &[431][..]),
        // Beyond what is read at all, the connection may be gone before the answer is read.
        (with("x", 3_000_000), &[431]),
        (
            format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "x".repeat(70_000)),
            &[414],
        ),
        (
            format!(
                "GET / HTTP/1.1\r\nhost: a\r\n{}\r\n",
                "x: y\r\n".repeat(200)
            ),
            &[431],
        ),
        (
            format!(
                "GET / HTTP/1.1\r\nhost: a\r\n{}\r\n",
                "x: y\r\n".repeat(2000)
            ),
            &[431],
        ),
    ] {
        if let Some(answer) = proxy.send(request.as_bytes()).await {
            assert!(statuses.contains(&answer.status), "{}", answer.status);
        } else {
            assert!(request.len() > 1_000_000, "no answer");
        }
    }
    assert_eq!(server.seen().len(), 1);
    proxy.finish().await;
}

/// The head of an answer is held in memory, and is bounded as that of a request is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_headers_of_answers_are_refused() {
    for (size, status) in [(60_000, 200), (70_000, 502)] {
        let value = "x".repeat(size);
        let answer = format!("HTTP/1.1 200 OK\r\nx: {value}\r\ncontent-length: 5\r\n\r\nhello");
        let server = Server::start(Behaviour::Say(answer.into_bytes().leak())).await;
        let proxy = Proxy::before(&[&server], "").await;
        let answer = proxy.get("/").await.expect("an answer");
        assert_eq!(answer.status, status, "{size}");
        proxy.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_header_that_never_ends_is_cut_off() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let mut connection = Connection::open(proxy.address).await;
    connection.write(b"GET / HTTP/1.1\r\nhost: a\r\n").await;
    for _ in 0..64 {
        connection.write(&[b'x'; 65_536]).await;
    }
    // Whether or not the answer can still be read, the connection is over.
    let _ = connection.answer().await;
    assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    proxy.finish().await;
}

/// The server waits for a body that the client does not send: that is not the server's fault.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_stall_take_no_server_out() {
    let one = Server::start(Behaviour::after(0)).await;
    let other = Server::start(Behaviour::after(0)).await;
    let group = "timeouts = { read = \"200ms\" }\nfailures = { consecutive = 1, pause = \"60s\" }";
    let proxy = Proxy::before(&[&one, &other], group).await;
    for _ in 0..4 {
        let mut stalls = Connection::open(proxy.address).await;
        stalls
            .write(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf")
            .await;
        assert_eq!(stalls.answer().await.expect("an answer").status, 408);
    }
    for server in [&one, &other] {
        let state = proxy.server(server).await;
        assert_eq!((&state["up"], &state["failed"]), (&true.into(), &0.into()));
    }
    proxy.finish().await;
}
