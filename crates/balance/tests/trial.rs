//! Toy servers and the open-loop load, on loopback sockets.

#![cfg(feature = "trial")]

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use filch_balance::TOKEN_HEADER;
use filch_balance::trial::{Alarm, Caps, Fate, Plan, ToyServer, WebClient, run};
use filch_random::Seed;
use filch_workload::ArrivalTimes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn server(law: &str, tokens: bool, alarm: &Alarm) -> ToyServer {
    let law = law.parse().unwrap();
    ToyServer::start(law, Seed::new(1), 0, tokens, alarm)
        .await
        .unwrap()
}

fn plan(rate: f64, batch: u32, millis: u64) -> Plan {
    let times = ArrivalTimes::new(rate, batch).unwrap();
    Plan::draw(times, Duration::from_millis(millis), 1, Seed::new(1), 0)
}

/// Sends `count` requests, each on its own connection, and returns the answers in order.
async fn ask(address: SocketAddr, count: usize) -> Vec<String> {
    let mut connections = Vec::new();
    for _ in 0..count {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = b"GET / HTTP/1.1\r\nhost: toy\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        connections.push(stream);
    }
    let mut answers = Vec::new();
    for mut stream in connections {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answers.push(answer);
    }
    answers
}

/// Waits until no request is at the server; a test that waits for ever has failed.
async fn empty(server: &ToyServer) {
    while server.present() > 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn one_at_a_time_and_a_token_at_the_end() {
    let alarm = Alarm::start();
    let server = server("constant:40", true, &alarm).await;
    let began = Instant::now();
    let answers = ask(server.address(), 5).await;
    // Five at 40 ms each, one after the other, cannot take less.
    assert!(began.elapsed() >= Duration::from_millis(200));
    let token = |answer: &String| answer.contains(&format!("{TOKEN_HEADER}: idle"));
    assert!(
        answers
            .iter()
            .all(|answer| answer.starts_with("HTTP/1.1 200 "))
    );
    assert!(answers.iter().any(token), "one of them left it idle");
    assert_eq!(server.present(), 0);
    assert!(token(&ask(server.address(), 1).await[0]), "alone");
}

#[tokio::test]
async fn no_token_from_a_server_that_was_told_not_to() {
    let alarm = Alarm::start();
    let server = server("constant:1", false, &alarm).await;
    assert!(!ask(server.address(), 1).await[0].contains(TOKEN_HEADER));
}

#[tokio::test]
async fn a_client_that_leaves_does_not_end_the_work() {
    let alarm = Alarm::start();
    let server = server("constant:60", true, &alarm).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: toy\r\n\r\n")
        .await
        .unwrap();
    while server.present() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let began = Instant::now();
    drop(stream);
    ask(server.address(), 1).await;
    assert!(
        began.elapsed() >= Duration::from_millis(60),
        "it was in the way"
    );
    empty(&server).await;
}

#[tokio::test]
async fn every_request_of_the_plan_is_sent_and_answered() {
    let alarm = Alarm::start();
    let server = server("exp:1", true, &alarm).await;
    let plan = plan(0.5, 10, 600);
    let client = WebClient::to([server.address()]);
    let record = run(&plan, &alarm, Caps::default(), |entry| client.get(entry)).await;
    assert_eq!(record.samples.len(), plan.requests());
    assert!(
        record
            .samples
            .iter()
            .all(|sample| sample.fate == Fate::Answered)
    );
    let starts: Vec<_> = record.samples.iter().map(|sample| sample.start).collect();
    let planned = plan.arrivals().iter().flat_map(|arrival| [arrival.at; 10]);
    assert!(planned.eq(starts), "in the order of the plan");
    empty(&server).await;
}

/// The loop is open: a server that never answers is sent everything, until the cap.
#[tokio::test]
async fn the_load_does_not_wait_for_answers() {
    let alarm = Alarm::start();
    let server = server("constant:1e9", true, &alarm).await;
    let caps = Caps {
        drain: Duration::ZERO,
        ..Caps::default()
    };
    let client = WebClient::to([server.address()]);
    let all = plan(0.2, 1, 400);
    let record = run(&all, &alarm, caps, |entry| client.get(entry)).await;
    assert_eq!(
        (record.samples.len(), record.gave_up),
        (all.requests(), None)
    );
    assert!(
        record
            .samples
            .iter()
            .all(|sample| sample.fate == Fate::Unfinished)
    );

    let record = run(&all, &alarm, Caps { open: 20, ..caps }, |entry| {
        client.get(entry)
    })
    .await;
    assert_eq!(record.samples.len(), 20);
    assert_eq!(record.gave_up, Some(all.arrivals()[20].at));
}

#[tokio::test]
async fn time_outs_and_refusals_are_told_apart() {
    let alarm = Alarm::start();
    let slow = server("constant:1e9", true, &alarm).await;
    let gone = server("constant:1", true, &alarm).await.address();
    let caps = Caps {
        timeout: Duration::from_millis(50),
        ..Caps::default()
    };
    let plan = plan(0.1, 1, 100);
    for (address, fate) in [(slow.address(), Fate::TimedOut), (gone, Fate::Failed)] {
        let client = WebClient::to([address]);
        let record = run(&plan, &alarm, caps, |entry| client.get(entry)).await;
        assert!(
            record.samples.iter().all(|sample| sample.fate == fate),
            "{fate:?}"
        );
    }
    assert_eq!(gone.ip(), Ipv4Addr::LOCALHOST);
}
