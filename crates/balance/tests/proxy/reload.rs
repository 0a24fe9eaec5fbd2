//! Reloads: under load, of bad files, and what they keep.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::harness::{Behaviour, Connection, Proxy, Server, configuration, until, with_backup};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/// The last server of a group is never paused, not even if a reload has made it the last.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_server_that_is_left_alone_gets_requests() {
    let good = Server::start(Behaviour::GOOD).await;
    let paused = Server::start(Behaviour::Reset).await;
    let group = "policy = \"round-robin\"\nfailures = { consecutive = 1, pause = \"1h\" }";
    let proxy = Proxy::before(&[&good, &paused], group).await;
    until("it is paused", async || {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        proxy.server(&paused).await["up"] == false
    })
    .await;
    paused.behave(Behaviour::GOOD);
    proxy.rewrite(&configuration(&[&paused], group));
    proxy.running.reload().unwrap();
    assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    assert_eq!(proxy.server(&paused).await["up"], true);
    proxy.finish().await;
}

/// A server that is no backup any more gets requests like the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_becomes_a_server_like_others() {
    let server = Server::start(Behaviour::GOOD).await;
    let backup = Server::start(Behaviour::GOOD).await;
    let text = configuration(&[&server, &backup], "policy = \"round-robin\"");
    let proxy = Proxy::start(&with_backup(&text, &backup));
    for (text, expected) in [
        (with_backup(&text, &backup), (10, 0)),
        (text.clone(), (15, 5)),
        (with_backup(&text, &backup), (25, 5)),
    ] {
        proxy.rewrite(&text);
        proxy.running.reload().unwrap();
        for _ in 0..10 {
            assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        }
        assert_eq!((server.seen().len(), backup.seen().len()), expected);
    }
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_load_nothing_is_lost() {
    let mut servers = Vec::new();
    for _ in 0..4 {
        servers.push(Server::start(Behaviour::after(3)).await);
    }
    let all: Vec<&Server> = servers.iter().collect();
    let group = "queue = { wait = \"60s\" }\nserver.limit = 3";
    let proxy = Proxy::before(&all, group).await;
    let to = proxy.address;
    let over = Arc::new(AtomicBool::new(false));
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let over = Arc::clone(&over);
        clients.spawn(async move {
            let mut connection = Connection::open(to).await;
            let mut served = 0;
            while !over.load(Ordering::SeqCst) {
                connection.write(GET).await;
                let answer = connection.answer().await.expect("an answer");
                assert_eq!((answer.status, answer.text()), (200, "hello"));
                served += 1;
            }
            served
        });
    }
    for round in 0..20 {
        // Another one or two of the four each time, so that every server joins and leaves under
        // load.
        let chosen: Vec<&Server> = [round % 4, (round * 3 + 1) % 4]
            .into_iter()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .map(|place| all[place])
            .collect();
        proxy.rewrite(&configuration(&chosen, group));
        proxy.running.reload().unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    over.store(true, Ordering::SeqCst);
    let mut served = 0;
    while let Some(client) = clients.join_next().await {
        served += client.unwrap();
    }
    let seen: usize = servers.iter().map(|server| server.seen().len()).sum();
    assert_eq!(seen, served);
    assert_eq!(
        proxy.metric("filch_reloads_total{result=\"ok\"}").await,
        20.0
    );
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn state_is_kept() {
    let one = Server::start(Behaviour::after(10)).await;
    let held = Server::start(Behaviour::after(10)).await;
    let proxy = Proxy::before(&[&one, &held], "").await;
    for _ in 0..20 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    one.behave(Behaviour::Hang);
    held.behave(Behaviour::Hang);
    let mut first = Connection::open(proxy.address).await;
    first.write(GET).await;
    let mut second = Connection::open(proxy.address).await;
    second.write(GET).await;
    until("both are held", async || {
        proxy.server(&one).await["outstanding"] == 1
            && proxy.server(&held).await["outstanding"] == 1
    })
    .await;
    let before = (proxy.server(&one).await, proxy.server(&held).await);
    let new = Server::start(Behaviour::GOOD).await;
    proxy.rewrite(&configuration(&[&one, &held, &new], "retries = 2"));
    // Without a signal: the proxy looks at the file.
    until("it is reloaded", async || {
        !proxy.server(&new).await.is_null()
    })
    .await;
    let after = (proxy.server(&one).await, proxy.server(&held).await);
    for field in ["outstanding", "token", "served", "up"] {
        assert_eq!(before.0[field], after.0[field], "{field}");
        assert_eq!(before.1[field], after.1[field], "{field}");
    }
    assert!(after.0["speed"].as_f64().unwrap() < 1000.0, "it is learned");
    // The new one is idle.
    assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    assert_eq!(new.seen().len(), 1);
    drop((first, second));
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_leaves_finishes_what_it_has() {
    let leaving = Server::start(Behaviour::after(300)).await;
    let staying = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&leaving], "").await;
    let to = proxy.address;
    let client = tokio::spawn(async move { crate::harness::get(to, "/").await });
    until("it has it", async || !leaving.seen().is_empty()).await;
    proxy.rewrite(&configuration(&[&staying], ""));
    proxy.running.reload().unwrap();
    assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    assert_eq!(client.await.unwrap().expect("an answer").status, 200);
    assert_eq!((leaving.seen().len(), staying.seen().len()), (1, 1));
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_file_changes_nothing_and_is_reported() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let good = configuration(&[&server], "");
    for (bad, complaint) in [
        (good.replace("name = ", "nome = "), "nome"),
        (good.replace("[[groups]]", "[[groups]"), "line"),
        (good.replace("20s", "20 parsecs"), "grace"),
        (
            good.replace("[admin]\naddress", "threads = 3\n[admin]\naddress"),
            "threads",
        ),
        (String::new(), "listeners"),
    ] {
        proxy.rewrite(&bad);
        let error = proxy.running.reload().unwrap_err().to_string();
        assert!(
            error.contains("proxy.toml") && error.contains(complaint),
            "{error}"
        );
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        assert_eq!(proxy.state().await["stale"], true);
        assert_eq!(proxy.metric("filch_configuration_stale").await, 1.0);
    }
    assert!(
        proxy
            .metric("filch_reloads_total{result=\"refused\"}")
            .await
            >= 5.0
    );
    proxy.rewrite(&good);
    proxy.running.reload().unwrap();
    assert_eq!(proxy.metric("filch_configuration_stale").await, 0.0);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_policy_works_at_once() {
    let one = Server::start(Behaviour::GOOD).await;
    let other = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&one, &other], "").await;
    assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    proxy.rewrite(&configuration(&[&one, &other], "policy = \"round-robin\""));
    proxy.running.reload().unwrap();
    assert_eq!(proxy.state().await["groups"][0]["policy"], "round-robin");
    for _ in 0..10 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    assert!(one.seen().len() >= 5 && other.seen().len() >= 5);
    proxy.finish().await;
}

/// A server that is paused comes back under a policy that was configured meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_ends_under_another_policy() {
    let server = Server::start(Behaviour::GOOD).await;
    let other = Server::start(Behaviour::GOOD).await;
    let group = "failures = { consecutive = 1, pause = \"500ms\" }";
    let proxy = Proxy::before(&[&server, &other], group).await;
    server.behave(Behaviour::Reset);
    until("it is out", async || {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        proxy.server(&server).await["up"] == false
    })
    .await;
    server.behave(Behaviour::GOOD);
    let group = format!("{group}\npolicy = \"jsq\"");
    proxy.rewrite(&configuration(&[&server, &other], &group));
    proxy.running.reload().unwrap();
    until("it is back", async || {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        proxy.server(&server).await["up"] == true
    })
    .await;
    proxy.finish().await;
}

/// A request that waits when the policy changes waits on under the new one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_request_goes_over_to_another_policy() {
    let server = Server::start(Behaviour::Hang).await;
    let group = "queue = { wait = \"60s\" }\nserver.limit = 1";
    let proxy = Proxy::before(&[&server], group).await;
    let mut held = Connection::open(proxy.address).await;
    held.write(GET).await;
    until("it is held", async || {
        proxy.server(&server).await["outstanding"] == 1
    })
    .await;
    let mut waits = Connection::open(proxy.address).await;
    waits.write(GET).await;
    until("it waits", async || {
        proxy.state().await["groups"][0]["waiting"] == 1
    })
    .await;
    server.behave(Behaviour::after(0));
    let changed = format!("policy = \"jsq\"\n{group}");
    proxy.rewrite(&configuration(&[&server], &changed));
    proxy.running.reload().unwrap();
    // The new balancer has a free server for it, though the old one never will.
    let answer = waits.answer().await.expect("an answer");
    assert_eq!(answer.status, 200);
    drop(held);
    proxy.finish().await;
}

/// A policy that would need too much memory is refused like any other mistake.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_enormous_policy_is_refused() {
    let server = Server::start(Behaviour::after(0)).await;
    let proxy = Proxy::before(&[&server], "").await;
    for policy in ["jsq:18446744073709551615", "jsq:1:40000000000"] {
        proxy.rewrite(&configuration(
            &[&server],
            &format!("policy = \"{policy}\""),
        ));
        let refused = proxy.running.reload().unwrap_err().to_string();
        assert!(refused.contains("at most 1000000"), "{refused}");
    }
    assert_eq!(proxy.metric("filch_configuration_stale").await, 1.0);
    assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    proxy.finish().await;
}
