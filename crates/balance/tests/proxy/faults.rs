//! Servers that are killed, hang, are slow, reset connections or answer garbage.

use std::time::Duration;

use crate::harness::{Behaviour, Connection, Proxy, Server, until, with_backup};

const POST: &[u8] = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nbody";
const PUT: &[u8] = b"PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nbody";

/// Two good servers and one that behaves badly.
async fn three(bad: Behaviour) -> [Server; 3] {
    [
        Server::start(Behaviour::GOOD).await,
        Server::start(bad).await,
        Server::start(Behaviour::GOOD).await,
    ]
}

/// No GET is lost to a server that fails like this, and the server is paused.
async fn survives(bad: Behaviour, group: &str) {
    let servers = three(bad).await;
    let [one, broken, other] = &servers;
    let proxy = Proxy::before(&[one, broken, other], group).await;
    for _ in 0..50 {
        let answer = proxy.get("/").await.expect("an answer");
        assert_eq!((answer.status, answer.text()), (200, "hello"));
    }
    assert!(!broken.seen().is_empty(), "the bad server was never tried");
    until("the bad server is out", async || {
        let _ = proxy.get("/").await;
        proxy.server(broken).await["up"] == false
    })
    .await;
    assert_eq!(proxy.server(one).await["up"], true);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_resets_loses_no_get() {
    survives(Behaviour::Reset, "policy = \"random\"").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_loses_no_get() {
    for garbage in [
        &b"this is no http\r\n\r\n"[..],
        b"HTTP/1.1 2x0 OK\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\ncontent-len",
    ] {
        survives(Behaviour::Say(garbage), "policy = \"random\"").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_hangs_loses_no_get() {
    let group = "policy = \"random\"\ntimeouts = { read = \"100ms\" }";
    survives(Behaviour::Hang, group).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_loses_no_get() {
    let one = Server::start(Behaviour::after(2)).await;
    let victim = Server::start(Behaviour::after(2)).await;
    let address = victim.address;
    let proxy = Proxy::before(&[&one, &victim], "failures = { pause = \"200ms\" }").await;
    let to = proxy.address;
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..8 {
        clients.spawn(async move {
            let mut connection = crate::harness::Connection::open(to).await;
            for _ in 0..100 {
                connection.write(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
                let answer = connection.answer().await.expect("an answer");
                assert_eq!(answer.status, 200);
            }
        });
    }
    until("both servers are in use", async || {
        victim.seen().len() > 10 && one.seen().len() > 10
    })
    .await;
    drop(victim);
    until("it is out", async || {
        let servers = proxy.state().await["groups"][0]["servers"].clone();
        let mut servers = servers.as_array().unwrap().iter();
        servers.any(|server| server["up"] == false)
    })
    .await;
    // It comes back and gets requests again.
    let victim = Server::start_at(address, Behaviour::after(2)).await;
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
    until("it is back", async || {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        !victim.seen().is_empty()
    })
    .await;
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_server_loses_no_post() {
    let gone = Server::start(Behaviour::GOOD).await;
    let address = gone.address;
    drop(gone);
    let one = Server::start(Behaviour::GOOD).await;
    let dead = format!("[[groups.servers]]\naddress = \"{address}\"\n");
    let group = "policy = \"round-robin\"\nfailures = { consecutive = 0 }";
    let text = crate::harness::configuration(&[&one], group) + &dead;
    let proxy = Proxy::start(&text);
    for _ in 0..10 {
        assert_eq!(proxy.send(POST).await.expect("an answer").status, 200);
    }
    // Each POST arrived once.
    assert_eq!(one.seen().len(), 10);
    // The dead server was tried, and is then avoided because it fails more than the other.
    assert!(proxy.metric("filch_retries_total{group=\"all\"}").await >= 1.0);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_that_may_have_arrived_is_never_sent_again() {
    for bad in [
        Behaviour::Reset,
        Behaviour::Say(b"garbage\r\n\r\n"),
        Behaviour::Hang,
    ] {
        let one = Server::start(bad.clone()).await;
        let other = Server::start(bad).await;
        let group = "timeouts = { read = \"100ms\" }\nfailures = { consecutive = 0 }";
        let proxy = Proxy::before(&[&one, &other], group).await;
        let answer = proxy.send(POST).await.expect("an answer");
        assert!((502..=504).contains(&answer.status), "{answer:?}");
        proxy.settled().await;
        assert_eq!(one.seen().len() + other.seen().len(), 1);
        proxy.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_put_is_sent_again_with_its_body() {
    let bad = Server::start(Behaviour::Reset).await;
    let good = Server::start(Behaviour::GOOD).await;
    let group = "policy = \"round-robin\"\nfailures = { consecutive = 0 }";
    let proxy = Proxy::before(&[&bad, &good], group).await;
    for _ in 0..4 {
        assert_eq!(proxy.send(PUT).await.expect("an answer").status, 200);
    }
    assert!(!bad.seen().is_empty());
    let seen = good.seen();
    assert_eq!(seen.len(), 4);
    assert!(seen.iter().all(|seen| seen.body == b"body"), "{seen:?}");
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_is_too_large_to_keep_is_sent_once() {
    let good = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&good], "").await;
    let body = (0..1_000_000u32).map(|at| at as u8).collect::<Vec<_>>();
    let head = format!(
        "PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let request = [head.as_bytes(), &body].concat();
    assert_eq!(proxy.send(&request).await.expect("an answer").status, 200);
    assert!(good.seen()[0].body == body, "the body is another");
    proxy.finish().await;

    let bad = [
        Server::start(Behaviour::Reset).await,
        Server::start(Behaviour::Reset).await,
    ];
    let proxy = Proxy::before(&[&bad[0], &bad[1]], "failures = { consecutive = 0 }").await;
    assert_eq!(proxy.send(&request).await.expect("an answer").status, 502);
    assert_eq!(bad[0].seen().len() + bad[1].seen().len(), 1);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_breaks_off_is_not_begun_again() {
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this";
    let one = Server::start(Behaviour::Say(cut)).await;
    let other = Server::start(Behaviour::Say(cut)).await;
    let proxy = Proxy::before(&[&one, &other], "failures = { consecutive = 0 }").await;
    // The client sees that it is cut: the connection ends before the length is reached.
    assert_eq!(proxy.get("/").await, None);
    proxy.settled().await;
    assert_eq!(one.seen().len() + other.seen().len(), 1);
    proxy.finish().await;
}

/// A server that switches protocols without having been asked to gets no tunnel.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unsolicited_switch_of_protocols_is_refused() {
    let switch = b"HTTP/1.1 101 Switching Protocols\r\n\
                   upgrade: websocket\r\nconnection: upgrade\r\n\r\nhello";
    let server = Server::start(Behaviour::Echo(switch)).await;
    let proxy = Proxy::before(&[&server], "retries = 0").await;
    assert_eq!(proxy.get("/").await.expect("an answer").status, 502);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_content_has_no_length() {
    let empty = b"HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n";
    let server = Server::start(Behaviour::Say(empty)).await;
    let proxy = Proxy::before(&[&server], "").await;
    let answer = proxy.get("/").await.expect("an answer");
    assert_eq!(
        (answer.status, answer.header("content-length")),
        (204, None)
    );
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_servers_are_waited_for_and_get_less() {
    let slow = Server::start(Behaviour::after(200)).await;
    let fast = Server::start(Behaviour::after(2)).await;
    let proxy = Proxy::before(&[&slow, &fast], "").await;
    for _ in 0..100 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    assert!(slow.seen().len() < fast.seen().len() / 4, "learned speeds");
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_nothing_works_the_client_is_told() {
    let hung = Server::start(Behaviour::Hang).await;
    let group = "timeouts = { read = \"60s\", total = \"200ms\" }\nfailures = { consecutive = 0 }";
    let proxy = Proxy::before(&[&hung], group).await;
    assert_eq!(proxy.get("/").await.expect("an answer").status, 504);
    hung.behave(Behaviour::Reset);
    assert_eq!(proxy.get("/").await.expect("an answer").status, 502);
    drop(hung);
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(proxy.get("/").await.expect("an answer").status, 502);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_server_is_not_paused() {
    let one = Server::start(Behaviour::Reset).await;
    let other = Server::start(Behaviour::Reset).await;
    let group = "failures = { consecutive = 1, pause = \"1h\" }";
    let proxy = Proxy::before(&[&one, &other], group).await;
    for _ in 0..3 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 502);
    }
    let ups = [
        &proxy.server(&one).await["up"],
        &proxy.server(&other).await["up"],
    ]
    .map(|up| up.as_bool().unwrap());
    assert_ne!(ups[0], ups[1], "one is out, one is left");
    one.behave(Behaviour::GOOD);
    other.behave(Behaviour::GOOD);
    assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checks_take_a_sick_server_out_and_bring_it_back() {
    let one = Server::start(Behaviour::GOOD).await;
    let sick = Server::start(Behaviour::Say(
        b"HTTP/1.1 500 no\r\ncontent-length: 0\r\n\r\n",
    ))
    .await;
    let group = "health = { path = \"/well\", interval = \"20ms\", healthy = 2, unhealthy = 2 }";
    let proxy = Proxy::before(&[&one, &sick], group).await;
    until("it is out", async || {
        proxy.server(&sick).await["up"] == false
    })
    .await;
    assert!(sick.seen()[0].head.starts_with("GET /well HTTP/1.1"));
    for _ in 0..20 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    assert!(sick.seen().iter().all(|seen| seen.head.contains("/well")));
    sick.behave(Behaviour::GOOD);
    until("it is back", async || {
        proxy.server(&sick).await["up"] == true
    })
    .await;
    assert_eq!(proxy.server(&one).await["up"], true);
    proxy.finish().await;
}

/// An error is an answer, but not a good one: the server is paused after a few of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_answers_with_errors_is_paused() {
    let error = Behaviour::Say(b"HTTP/1.1 500 Oops\r\ncontent-length: 5\r\n\r\nsorry");
    for (statuses, up) in [("", false), (", statuses = [\"501-599\"]", true)] {
        let good = Server::start(Behaviour::GOOD).await;
        let bad = Server::start(error.clone()).await;
        let group = format!(
            "policy = \"round-robin\"\nfailures = {{ consecutive = 3, pause = \"1h\"{statuses} }}"
        );
        let proxy = Proxy::before(&[&good, &bad], &group).await;
        for _ in 0..20 {
            let status = proxy.get("/").await.expect("an answer").status;
            assert!(matches!(status, 200 | 500), "{status}");
        }
        proxy.settled().await;
        assert_eq!(proxy.server(&bad).await["up"], up);
        assert_eq!(bad.seen().len(), if up { 10 } else { 3 });
        proxy.finish().await;
    }
}

/// A backup gets requests only while no other server is up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backups_step_in() {
    let server = Server::start(Behaviour::GOOD).await;
    let backup = Server::start(Behaviour::GOOD).await;
    let group = "health = { path = \"/well\", interval = \"20ms\", healthy = 1, unhealthy = 1 }";
    let text = crate::harness::configuration(&[&server, &backup], group);
    let proxy = Proxy::start(&with_backup(&text, &backup));
    let asked = |server: &Server| {
        let seen = server.seen();
        seen.iter()
            .filter(|seen| !seen.head.contains("/well"))
            .count()
    };
    for _ in 0..20 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    assert_eq!((asked(&server), asked(&backup)), (20, 0));
    let address = server.address;
    drop(server);
    until("it is down", async || {
        proxy.state().await["groups"][0]["servers"][0]["up"] == false
    })
    .await;
    for _ in 0..20 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    assert_eq!(asked(&backup), 20);
    let server = Server::start_at(address, Behaviour::GOOD).await;
    until("it is up", async || {
        proxy.server(&server).await["up"] == true
    })
    .await;
    until("it gets all requests", async || {
        let before = asked(&backup);
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        asked(&backup) == before
    })
    .await;
    proxy.finish().await;
}

/// A request that fails on the last server but the backups is tried there again: it does not wait
/// for a backup, which gets nothing while that server is up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retry_does_not_wait_for_a_backup() {
    for (consecutive, status, attempts) in [(0, 502, (4, 0)), (3, 200, (3, 1))] {
        let server = Server::start(Behaviour::Reset).await;
        let backup = Server::start(Behaviour::GOOD).await;
        let group = format!(
            "retries = 3\nqueue = {{ wait = \"3s\" }}\n\
             failures = {{ consecutive = {consecutive}, pause = \"1h\" }}"
        );
        let text = crate::harness::configuration(&[&server, &backup], &group);
        let proxy = Proxy::start(&with_backup(&text, &backup));
        assert_eq!(proxy.get("/").await.expect("an answer").status, status);
        assert_eq!((server.seen().len(), backup.seen().len()), attempts);
        proxy.finish().await;
    }
}

/// A server that closes each connection after its answer, without saying so: a request that finds
/// such a connection goes over another, and the server is not blamed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kept_connections_that_end_lose_no_get() {
    let once = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
    let server = Server::start(Behaviour::Say(once)).await;
    let proxy = Proxy::before(&[&server], "retries = 0").await;
    let mut connection = Connection::open(proxy.address).await;
    for _ in 0..300 {
        connection.write(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!((answer.status, answer.text()), (200, "hello"));
    }
    assert_eq!(proxy.server(&server).await["failed"], 0);
    drop(connection);
    proxy.finish().await;
}

/// A server that breaks every kept connection gets a request twice at most, whatever the number of
/// connections that the proxy has kept.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kept_connections_that_break_repeat_a_request_once() {
    let server = Server::start(Behaviour::after(300)).await;
    let group = "retries = 0\nfailures = { consecutive = 0 }";
    // One thread has all kept connections.
    let text = crate::harness::configuration(&[&server], group);
    let proxy = Proxy::start(&format!("threads = 1\n{text}"));
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let to = proxy.address;
        clients.spawn(async move { crate::harness::get(to, "/").await });
    }
    while let Some(answer) = clients.join_next().await {
        assert_eq!(answer.unwrap().expect("an answer").status, 200);
    }
    proxy.settled().await;
    server.behave(Behaviour::Say(b""));
    let delete = b"DELETE / HTTP/1.1\r\nhost: a\r\n\r\n";
    assert_eq!(proxy.send(delete).await.expect("an answer").status, 502);
    let seen = server.seen();
    let deletes = seen.iter().filter(|it| it.head.starts_with("DELETE"));
    let number = deletes.count();
    assert_eq!(number, 2);
    proxy.finish().await;
}

/// Servers change their behaviour all the time, and clients leave early: every lease comes back,
/// and every answer that is one is whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_faults() {
    let behaviours = [
        Behaviour::GOOD,
        Behaviour::after(2),
        Behaviour::Reset,
        Behaviour::Say(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"),
        Behaviour::Say(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello"),
        Behaviour::Say(b"garbage\r\n\r\n"),
        Behaviour::Say(b""),
        Behaviour::Hang,
        Behaviour::GOOD,
    ];
    let mut servers = Vec::new();
    for _ in 0..4 {
        servers.push(Server::start(Behaviour::GOOD).await);
    }
    let group = "policy = \"random\"\nserver.limit = 8\nqueue = { wait = \"200ms\" }\n\
                 timeouts = { read = \"20ms\" }\nfailures = { pause = \"20ms\" }";
    let proxy = Proxy::before(&servers.iter().collect::<Vec<_>>(), group).await;
    let to = proxy.address;
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..24_usize {
        clients.spawn(async move {
            for number in 0..100 {
                let mut connection = Connection::open(to).await;
                let request: &[u8] = match (client + number) % 4 {
                    0 => POST,
                    1 => PUT,
                    _ => b"GET / HTTP/1.1\r\nhost: a\r\n\r\n",
                };
                connection.write(request).await;
                if (client * 7 + number) % 5 == 0 {
                    // It leaves at some point of the answer.
                    tokio::time::sleep(Duration::from_micros(number as u64 * 37)).await;
                    continue;
                }
                match connection.answer().await {
                    Some(answer) if answer.status == 200 => assert_eq!(answer.text(), "hello"),
                    Some(answer) => assert!((502..=504).contains(&answer.status), "{answer:?}"),
                    None => {}
                }
            }
        });
    }
    let mut step = 0;
    while !clients.is_empty() {
        for (place, server) in servers.iter().enumerate() {
            server.behave(behaviours[(step * 5 + place * 2) % behaviours.len()].clone());
        }
        step += 1;
        let ended = tokio::time::timeout(Duration::from_millis(3), clients.join_next()).await;
        if let Ok(Some(ended)) = ended {
            ended.unwrap();
        }
    }
    for server in &servers {
        server.behave(Behaviour::GOOD);
    }
    proxy.finish().await;
}
