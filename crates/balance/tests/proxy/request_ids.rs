//! The ids of requests, and what other traces pass through.

use crate::harness::{Answer, Behaviour, Connection, Proxy, Seen, Server, configuration, until};

/// The values of this field of a request.
fn values(seen: &Seen, name: &str) -> Vec<String> {
    let fields = seen.head.lines().filter_map(|line| line.split_once(": "));
    let values = fields.filter(|(field, _)| field.eq_ignore_ascii_case(name));
    values.map(|(_, value)| value.to_owned()).collect()
}

/// The only id of a request.
fn id(seen: &Seen) -> String {
    let mut ids = values(seen, "x-request-id");
    assert_eq!(ids.len(), 1, "{seen:?}");
    ids.remove(0)
}

fn is_new(id: &str) -> bool {
    id.len() == 32
        && id
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A proxy whose requests have ids like this.
fn start(ids: &str, servers: &[&Server], group: &str) -> Proxy {
    let text = configuration(servers, group);
    Proxy::start(&format!("request_id = {ids}\n{text}"))
}

async fn ask(proxy: &Proxy, fields: &str) -> Answer {
    let request = format!("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{fields}\r\n");
    proxy.send(request.as_bytes()).await.expect("an answer")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_ids_a_field_is_like_any_other() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let answer = ask(&proxy, "x-request-id: a b\r\nx-request-id: c\r\n").await;
    assert_eq!(answer.header("x-request-id"), None);
    assert_eq!(values(&server.seen()[0], "x-request-id"), ["a b", "c"]);
    ask(&proxy, "").await;
    assert_eq!(values(&server.seen()[1], "x-request-id"), [""; 0]);
    until("both are logged", async || proxy.log().len() == 2).await;
    assert!(proxy.log().iter().all(|line| line.get("id").is_none()));
    proxy.finish().await;
}

/// A client can neither choose the id nor remove it, nor show a server another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_request_has_an_id_of_its_own() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = start("{}", &[&server], "");
    let mut ids = Vec::new();
    for fields in [
        "",
        "",
        "x-request-id: chosen\r\n",
        "x-request-id: one\r\nx-request-id: two\r\n",
        "x_request_id: chosen\r\nX-Request_Id: chosen\r\n",
        "connection: x-request-id\r\n",
        "connection: x-request-id\r\nx-request-id: chosen\r\n",
    ] {
        let answer = ask(&proxy, fields).await;
        assert_eq!((answer.status, answer.header("x-request-id")), (200, None));
        let seen = server.seen().pop().unwrap();
        assert!(!seen.head.contains("chosen"), "{seen:?}");
        ids.push(id(&seen));
    }
    assert!(ids.iter().all(|id| is_new(id)), "{ids:?}");
    until("all are logged", async || proxy.log().len() == ids.len()).await;
    let logged: Vec<_> = proxy.log().iter().map(|line| line["id"].clone()).collect();
    assert_eq!(logged, ids);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), logged.len(), "no two are the same");
    proxy.finish().await;
}

/// Nor behind the body.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trailers_have_no_ids() {
    let good = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    let server = Server::start(Behaviour::Say(good)).await;
    let proxy = start("{}", &[&server], "");
    let request = b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\
                    trailer: x-request-id, grpc-status\r\n\r\n\
                    1\r\nx\r\n0\r\nx-request-id: chosen\r\nx_request_id: chosen\r\n\r\n";
    assert_eq!(proxy.send(request).await.expect("an answer").status, 200);
    let seen = server.seen().pop().unwrap();
    assert!(is_new(&id(&seen)));
    assert_eq!(seen.body, b"x");
    proxy.finish().await;
}

/// Behind another proxy the id is that proxy's, if it is one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_proxy_may_give_the_id() {
    let server = Server::start(Behaviour::GOOD).await;
    let text = configuration(&[&server], "");
    let proxy = Proxy::start(&format!(
        "request_id = {{ name = \"X-Correlation-Id\" }}\n\
         client = {{ forwarded = \"append\" }}\n{text}"
    ));
    for (given, is_kept) in [
        ("8c8ffd5e-0f5c-4c63-9c73-ab1d7c1c1b1e", true),
        ("{\"a\": \"b\"}", false),
        ("a b", false),
        ("", false),
    ] {
        ask(&proxy, &format!("x-correlation-id: {given}\r\n")).await;
        let seen = server.seen().pop().unwrap();
        let ids = values(&seen, "x-correlation-id");
        assert_eq!(ids.len(), 1, "{seen:?}");
        assert_eq!(ids[0] == given, is_kept, "{seen:?}");
        assert!(is_kept || is_new(&ids[0]), "{seen:?}");
    }
    proxy.finish().await;
}

/// The id is the same for all attempts, and so is what a tracer has sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_have_the_same_id() {
    let [bad, good] = [Behaviour::Reset, Behaviour::GOOD].map(Server::start);
    let (bad, good) = (bad.await, good.await);
    let proxy = start("{}", &[&bad, &good], "policy = \"round-robin\"");
    let traces = [
        (
            "traceparent",
            "00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ),
        ("tracestate", "rojo=00f067aa0ba902b7,  congo=t61rcWkgMzE"),
        ("tracestate", "vendor@tenant=1"),
        ("baggage", "user=J%C3%BCrgen;secret, a=b"),
    ];
    let fields: String = traces
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    while bad.seen().is_empty() {
        assert_eq!(ask(&proxy, &fields).await.status, 200);
    }
    let (first, second) = (&bad.seen()[0], good.seen().pop().unwrap());
    assert!(is_new(&id(first)));
    assert_eq!(id(first), id(&second));
    for seen in [first, &second] {
        for name in ["traceparent", "tracestate", "baggage"] {
            let sent = traces.iter().filter(|(field, _)| *field == name);
            let sent: Vec<_> = sent.map(|(_, value)| *value).collect();
            assert_eq!(values(seen, name), sent);
        }
    }
    proxy.finish().await;
}

/// The client is told the id, whoever answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_may_have_the_id() {
    let server = Server::start(Behaviour::Answer {
        after: std::time::Duration::ZERO,
        headers: "x-request-id: of the server\r\nx-request-id: twice\r\n",
    })
    .await;
    let text = configuration(&[&server], "retries = 0");
    let route = "[[routes]]\nhost = \"a\"\ngroup = \"all\"\n";
    let proxy = Proxy::start(&format!("request_id = {{ answer = true }}\n{text}{route}"));
    let told = |answer: &Answer| {
        let fields = answer
            .head
            .lines()
            .filter(|line| line.starts_with("x-request-id:"));
        assert_eq!(fields.count(), 1, "{answer:?}");
        let id = answer.header("x-request-id").unwrap().to_owned();
        assert!(is_new(&id), "{answer:?}");
        id
    };
    let mut ids = vec![told(&ask(&proxy, "").await)];
    assert_eq!(ids[0], id(&server.seen()[0]));
    let mut connection = Connection::open(proxy.address).await;
    for (host, behaviour, status) in [
        (
            "a",
            Behaviour::Echo(b"HTTP/1.1 101 S\r\nupgrade: websocket\r\n\r\n"),
            101,
        ),
        ("a", Behaviour::Reset, 502),
        ("b", Behaviour::GOOD, 404),
    ] {
        server.behave(behaviour);
        let request = format!(
            "GET / HTTP/1.1\r\nhost: {host}\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n"
        );
        connection.write(request.as_bytes()).await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.status, status);
        ids.push(told(&answer));
        connection = Connection::open(proxy.address).await;
    }
    until("all are logged", async || proxy.log().len() == ids.len()).await;
    let mut logged: Vec<_> = proxy.log().iter().map(|it| it["id"].clone()).collect();
    logged.sort_by_key(|id| id.to_string());
    ids.sort_unstable();
    assert_eq!(logged, ids);
    drop(connection);
    proxy.finish().await;
}
