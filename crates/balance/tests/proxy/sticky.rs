//! Sessions that stay at their servers.

use http::Request;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Bytes;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

use crate::harness::{Answer, Behaviour, Proxy, Server, until};

const COOKIE: &str = "policy = \"jsq\"\nsticky = { by = \"cookie\", name = \"session\" }";

/// Asks with this line in the header.
async fn ask(proxy: &Proxy, line: &str) -> Answer {
    let request = format!("GET / HTTP/1.1\r\nhost: a\r\n{line}connection: close\r\n\r\n");
    proxy.send(request.as_bytes()).await.unwrap()
}

/// The cookie that an answer sets, if any, as a line of the next request.
fn cookie(answer: &Answer) -> Option<String> {
    let (cookie, rest) = answer.header("set-cookie")?.split_once(';')?;
    assert_eq!(rest, " path=/; httponly; samesite=lax");
    Some(format!("cookie: theme=dark; {cookie}\r\n"))
}

fn counts(servers: &[Server]) -> Vec<usize> {
    servers.iter().map(|server| server.seen().len()).collect()
}

async fn three() -> Vec<Server> {
    let mut servers = Vec::new();
    for _ in 0..3 {
        servers.push(Server::start(Behaviour::GOOD).await);
    }
    servers
}

/// The first answer names a server, to which all requests with the cookie go. Only if that server
/// does not work, the session moves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cookie_keeps_a_session_at_its_server() {
    let mut servers = three().await;
    let all: Vec<_> = servers.iter().collect();
    let proxy = Proxy::before(&all, COOKIE).await;
    let first = ask(&proxy, "").await;
    let line = cookie(&first).expect("the first answer has a cookie");
    let home = counts(&servers).iter().position(|seen| *seen == 1).unwrap();
    for _ in 0..20 {
        let next = ask(&proxy, &line).await;
        assert_eq!(next.status, 200);
        assert_eq!(cookie(&next), None, "the client knows it");
    }
    assert_eq!(servers[home].seen().len(), 21);
    assert!(
        servers[home].seen()[1]
            .head
            .contains("theme=dark; session=")
    );

    // A cookie that names no server is none.
    for line in [
        "cookie: session=0123456789abcdef\r\n",
        "cookie: session=x\r\n",
    ] {
        assert!(cookie(&ask(&proxy, line).await).is_some(), "{line}");
    }

    drop(servers.remove(home));
    let moved = ask(&proxy, &line).await;
    assert_eq!(moved.status, 200);
    let new = cookie(&moved).expect("the session has moved");
    assert_ne!(new, line);
    assert_eq!(cookie(&ask(&proxy, &new).await), None);
    proxy.finish().await;
}

/// Cookies of others do not part a session from its server: one with bytes beyond ASCII, or one of
/// the same name that is set for another path or for the whole domain.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_cookies_do_not_move_a_session() {
    let servers = three().await;
    let all: Vec<_> = servers.iter().collect();
    let proxy = Proxy::before(&all, COOKIE).await;
    let line = cookie(&ask(&proxy, "").await).unwrap();
    let home = counts(&servers).iter().position(|seen| *seen == 1).unwrap();
    let mut expected = 1;
    for other in ["name=M\u{fc}ller", "session=x", "session=0123456789abcdef"] {
        let line = line.replace("theme=dark", other);
        for _ in 0..5 {
            let next = ask(&proxy, &line).await;
            assert_eq!((next.status, cookie(&next)), (200, None), "{other}");
        }
        expected += 5;
        assert_eq!(servers[home].seen().len(), expected, "{other}");
    }
    proxy.finish().await;
}

/// A session waits for its server, while requests without one go to others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_waits_for_its_server() {
    let servers = three().await;
    let all: Vec<_> = servers.iter().collect();
    let group = format!("{COOKIE}\nqueue = {{ wait = \"50s\" }}\nserver.limit = 1");
    let proxy = Proxy::before(&all, &group).await;
    let line = cookie(&ask(&proxy, "").await).unwrap();
    let home = counts(&servers).iter().position(|seen| *seen == 1).unwrap();
    servers[home].behave(Behaviour::after(300));
    let (one, two) = (ask(&proxy, &line), ask(&proxy, &line));
    let others = async {
        until("a request waits", async || {
            proxy.state().await["groups"][0]["waiting"] == 1
        })
        .await;
        for _ in 0..10 {
            assert_eq!(ask(&proxy, "").await.status, 200);
        }
        assert_eq!(servers[home].seen().len(), 2, "they did not wait");
    };
    let (one, two, ()) = tokio::join!(one, two, others);
    assert_eq!((one.status, two.status), (200, 200));
    assert_eq!((cookie(&one), cookie(&two)), (None, None));
    assert_eq!((servers[home].seen().len(), servers[home].most()), (3, 1));
    proxy.finish().await;
}

/// Requests with the same value of a field go to the same server, and if it is gone, to the same
/// other one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hash_keeps_a_session_at_its_server() {
    let mut servers = three().await;
    let all: Vec<_> = servers.iter().collect();
    let group = "policy = \"jsq\"\nfailures = { consecutive = 1, pause = \"1h\" }\n\
                 sticky = { by = \"header\", name = \"x-user\" }";
    let proxy = Proxy::before(&all, group).await;
    // Where each of 30 users goes, thrice.
    let users = async |servers: &[Server]| {
        let mut homes = Vec::new();
        for user in 0..30 {
            let before = counts(servers);
            for _ in 0..3 {
                let answer = ask(&proxy, &format!("x-user: {user}\r\n")).await;
                assert_eq!(answer.status, 200);
                assert_eq!(answer.header("set-cookie"), None);
            }
            let after = counts(servers);
            let home = (0..servers.len()).find(|&at| after[at] == before[at] + 3);
            homes.push(servers[home.expect("one server has all three")].address);
        }
        homes
    };
    let before = users(&servers).await;
    for server in &servers {
        let owned = before.iter().filter(|home| **home == server.address);
        assert!(owned.count() > 0, "every server has users");
    }
    let gone = servers.remove(0).address;
    let user = before.iter().position(|home| *home == gone).unwrap();
    let answer = ask(&proxy, &format!("x-user: {user}\r\n")).await;
    assert_eq!(answer.status, 200, "the next server has it");
    for (before, after) in before.iter().zip(users(&servers).await) {
        assert!(*before == gone || *before == after, "the others stay");
    }
    proxy.finish().await;
}

/// Two servers share a session: while one works, the next request goes to the other, which is idle.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_share_a_session_take_turns_by_idleness() {
    let servers = three().await;
    servers
        .iter()
        .for_each(|server| server.behave(Behaviour::after(200)));
    let all: Vec<_> = servers.iter().collect();
    let group = "policy = \"jsq\"\nsticky = { by = \"address\", servers = 2 }";
    let proxy = Proxy::before(&all, group).await;
    for _ in 0..5 {
        let (one, two) = tokio::join!(ask(&proxy, ""), ask(&proxy, ""));
        assert_eq!((one.status, two.status), (200, 200));
        proxy.settled().await;
    }
    let mut seen = counts(&servers);
    seen.sort_unstable();
    assert_eq!(seen, [0, 5, 5]);
    proxy.finish().await;
}

/// The host is a field like others for sessions and routes, also with HTTP/2, where a client names
/// it outside of the fields.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_may_be_those_of_a_host() {
    let servers = three().await;
    let group = "policy = \"jsq\"\nsticky = { by = \"header\", name = \"host\" }";
    let mut text = crate::http2::configuration("http2 = true", group, servers[0].address);
    for server in &servers[1..] {
        text += &format!("[[groups.servers]]\naddress = \"{}\"\n", server.address);
    }
    for host in 'a'..='f' {
        text += &format!("[[routes]]\nheaders = {{ host = \"{host}\" }}\ngroup = \"all\"\n");
    }
    let proxy = Proxy::start(&text);
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let handshake =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
    let (mut client, connection) = handshake.await.unwrap();
    let connection = tokio::spawn(connection);
    for host in 'a'..='f' {
        let before = counts(&servers);
        let request = format!("GET / HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        assert_eq!(proxy.send(request.as_bytes()).await.unwrap().status, 200);
        let after = counts(&servers);
        let home = (0..3).find(|at| after[*at] > before[*at]).unwrap();
        for _ in 0..5 {
            let request = Request::get(format!("http://{host}/")).body(Empty::<Bytes>::new());
            let answer = client.send_request(request.unwrap()).await.unwrap();
            assert_eq!(answer.status(), 200, "{host}");
            answer.into_body().collect().await.unwrap();
        }
        assert_eq!(servers[home].seen().len(), before[home] + 6, "{host}");
    }
    drop(client);
    connection.await.unwrap().unwrap();
    proxy.finish().await;
}
