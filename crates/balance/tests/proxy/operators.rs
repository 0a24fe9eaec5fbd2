//! The admin page, the metrics and the access log.

use crate::harness::{Behaviour, Proxy, Server, configuration, get, send, until};

/// An answer that is not HTTP may hold secrets all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_access_log_quotes_no_answer() {
    let answer = b"HTTP/1.1 200 OK\r\nset-cookie: session=secret\r\nno colon\r\n\r\n";
    let server = Server::start(Behaviour::Say(answer)).await;
    let proxy = Proxy::before(&[&server], "retries = 0").await;
    assert_eq!(proxy.get("/").await.expect("an answer").status, 502);
    until("it is logged", async || proxy.log().len() == 1).await;
    let line = proxy.log()[0].to_string();
    assert!(!line.contains("secret"), "{line}");
    assert_eq!(proxy.log()[0]["problem"], "garbage");
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_loads_nothing_from_elsewhere() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let page = get(proxy.admin, "/").await.unwrap();
    assert_eq!(page.status, 200);
    assert!(page.text().contains("state.json"));
    for outside in ["http://", "https://", "//cdn", "@import", "src="] {
        assert!(!page.text().contains(outside), "{outside}");
    }
    assert_eq!(get(proxy.admin, "/other").await.unwrap().status, 404);
    // A page that has its name resolved to loopback reads nothing.
    let request = b"GET /state.json HTTP/1.1\r\nhost: evil.example\r\n\r\n";
    assert_eq!(send(proxy.admin, request).await.unwrap().status, 403);
    let request = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(send(proxy.admin, request).await.unwrap().status, 405);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_are_well_formed_and_true() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "server.limit = 7").await;
    for _ in 0..5 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    proxy.settled().await;
    let labels = format!("{{group=\"all\",server=\"{}\"}}", server.address);
    for (name, value) in [
        ("filch_requests_in_flight".to_owned(), 0.0),
        (
            "filch_requests_total{group=\"all\",status=\"2xx\"}".to_owned(),
            5.0,
        ),
        ("filch_request_seconds_count{group=\"all\"}".to_owned(), 5.0),
        (format!("filch_server_served_total{labels}"), 5.0),
        (format!("filch_server_seconds_count{labels}"), 5.0),
        (format!("filch_server_in_flight{labels}"), 0.0),
        (format!("filch_server_token{labels}"), 1.0),
        (format!("filch_server_up{labels}"), 1.0),
        (format!("filch_server_limit{labels}"), 7.0),
    ] {
        assert_eq!(proxy.metric(&name).await, value, "{name}");
    }
    let text = get(proxy.admin, "/metrics").await.unwrap();
    let mut known = Vec::new();
    for line in text.text().lines() {
        if let Some(help) = line.strip_prefix("# TYPE ") {
            let (name, kind) = help.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert!(!known.contains(&name), "{name} twice");
            known.push(name);
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok() || value == "+Inf", "{line}");
            let name = name.split('{').next().unwrap();
            assert!(name.starts_with(known.last().unwrap()), "{line}");
        }
    }
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_logged_one_a_line() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    assert_eq!(
        proxy.get("/a?secret=1").await.expect("an answer").status,
        200
    );
    drop(server);
    assert_eq!(proxy.get("/b").await.expect("an answer").status, 502);
    until("both are logged", async || proxy.log().len() == 2).await;
    let log = proxy.log();
    let (good, bad) = (&log[0], &log[1]);
    assert_eq!(good["method"], "GET");
    assert_eq!(good["path"], "/a", "the query may hold secrets");
    assert_eq!(good["status"], 200);
    assert_eq!(good["group"], "all");
    assert_eq!(good["attempts"], 1);
    assert_eq!(good["bytes"], 5);
    assert_eq!(good["problem"], serde_json::Value::Null);
    assert!(good["client"].as_str().unwrap().starts_with("127.0.0.1:"));
    assert!(good["took"].as_f64().unwrap() > 0.0);
    assert_eq!(bad["status"], 502);
    assert_eq!(bad["problem"], "connect");
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn routes_go_by_what_is_asked() {
    let one = Server::start(Behaviour::GOOD).await;
    let other = Server::start(Behaviour::GOOD).await;
    let text = format!(
        "access_log = \"off\"\n\
         [admin]\naddress = \"127.0.0.1:0\"\n\
         [[listeners]]\naddress = \"127.0.0.1:0\"\n\
         [[groups]]\nname = \"one\"\n[[groups.servers]]\naddress = \"{}\"\n\
         [[groups]]\nname = \"other\"\n[[groups.servers]]\naddress = \"{}\"\n\
         [[routes]]\nhost = \"*.example.org\"\ngroup = \"one\"\n\
         [[routes]]\npath = \"/v2\"\ngroup = \"other\"\n\
         [[routes]]\npath = \"/v2\"\nmethods = [\"POST\"]\ngroup = \"one\"\n\
         [[routes]]\npath = \"/v2\"\nheaders = {{ x-canary = \"yes\" }}\ngroup = \"one\"\n",
        one.address, other.address
    );
    let proxy = Proxy::start(&text);
    let ask = async |host: &str, path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n");
        proxy.send(request.as_bytes()).await.unwrap().status
    };
    assert_eq!(ask("a.Example.org:8080", "/v2").await, 200);
    assert_eq!((one.seen().len(), other.seen().len()), (1, 0));
    assert_eq!(ask("elsewhere", "/v2/x").await, 200);
    assert_eq!((one.seen().len(), other.seen().len()), (1, 1));
    for head in [
        "POST /v2 HTTP/1.1\r\ncontent-length: 0",
        "GET /v2 HTTP/1.1\r\nX-Canary: yes",
    ] {
        let request = format!("{head}\r\nhost: elsewhere\r\n\r\n");
        assert_eq!(proxy.send(request.as_bytes()).await.unwrap().status, 200);
    }
    assert_eq!((one.seen().len(), other.seen().len()), (3, 1));
    assert_eq!(ask("elsewhere", "/v20").await, 404);
    assert_eq!(ask("example.org", "/").await, 404);
    assert_eq!(proxy.metric("filch_requests_refused_total").await, 2.0);
    proxy.finish().await;
}

/// A drained server gets no more requests, whatever happens to the others, until it is enabled.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_drain_servers() {
    let one = Server::start(Behaviour::GOOD).await;
    let other = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "0123456789abcdef\n").unwrap();
    let text = configuration(&[&one, &other], "policy = \"round-robin\"").replace(
        "[admin]\n",
        &format!("[admin]\ntoken_file = \"{}\"\n", token.display()),
    );
    let proxy = Proxy::start(&text);
    let order = async |order: &str, credentials: &str| {
        let request = format!(
            "POST /groups/all/servers/{}/{order} HTTP/1.1\r\nhost: localhost\r\n\
             authorization: {credentials}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            one.address
        );
        send(proxy.admin, request.as_bytes()).await.unwrap().status
    };
    assert_eq!(order("drain", "Bearer 0123456789abcdeg").await, 401);
    assert_eq!(order("drain", "Bearer ").await, 401);
    assert_eq!(order("drain", "").await, 401);
    assert_eq!(order("drain", "Basic  0123456789abcdef").await, 401);
    assert_eq!(order("explode", "Bearer 0123456789abcdef").await, 404);
    assert_eq!(proxy.server(&one).await["up"], true);
    assert_eq!(order("drain", "Bearer 0123456789abcdef").await, 200);
    let drained = proxy.server(&one).await;
    assert_eq!(
        (&drained["up"], &drained["drained"]),
        (&false.into(), &true.into())
    );
    for _ in 0..10 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    assert_eq!((one.seen().len(), other.seen().len()), (0, 10));
    // A reload changes nothing about it.
    proxy.running.reload().unwrap();
    assert_eq!(proxy.server(&one).await["up"], false);
    assert_eq!(order("enable", "bearer 0123456789abcdef").await, 200);
    for _ in 0..10 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    assert_eq!((one.seen().len(), other.seen().len()), (5, 15));
    proxy.finish().await;
}

/// Without a token in the configuration the page changes nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_token_there_are_no_orders() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    let request = format!(
        "POST /groups/all/servers/{}/drain HTTP/1.1\r\nhost: localhost\r\n\
         authorization: Bearer 0123456789abcdef\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        server.address
    );
    assert_eq!(
        send(proxy.admin, request.as_bytes()).await.unwrap().status,
        405
    );
    assert_eq!(proxy.server(&server).await["up"], true);
    proxy.finish().await;
}
