//! Unix sockets, on both sides of the proxy.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use filch_balance::proxy::{ProxyStartError, Running};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::harness::{
    Answer, Behaviour, Connection, HANG, Proxy, Server, encrypted_over, send, tls, until,
};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/// Passes connections to a Unix socket on to this server, until it is dropped.
fn relay(path: &Path, server: &Server) -> JoinSet<()> {
    let listener = UnixListener::bind(path).unwrap();
    let server = server.address;
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut near, _)) = listener.accept().await {
            connections.spawn(async move {
                let mut far = TcpStream::connect(server).await.unwrap();
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    tasks
}

/// A proxy with a second listener, at this address and with these lines.
fn listening(listener: &str, rest: &str, server: &Server) -> (Proxy, PathBuf) {
    let proxy = Proxy::start(&format!(
        "access_log = \"access.log\"\n{rest}\n[admin]\naddress = \"127.0.0.1:0\"\n\
         [[listeners]]\naddress = \"127.0.0.1:0\"\n\
         [[listeners]]\naddress = \"unix:front.sock\"\n{listener}\n\
         [[groups]]\nname = \"all\"\n[[groups.servers]]\naddress = \"{}\"\n",
        server.address
    ));
    let path = proxy.folder.path().join("front.sock");
    (proxy, path)
}

async fn ask(path: &Path, request: &[u8]) -> Option<Answer> {
    let mut connection = Connection::open_at(path).await;
    connection.write(request).await;
    connection.answer().await
}

/// They are servers like others: with checks, retries, names and orders of operators.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_may_be_at_unix_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["one.sock", "two.sock"].map(|name| folder.path().join(name));
    let server = Server::start(Behaviour::GOOD).await;
    let one = relay(&paths[0], &server);
    let names = [0, 1].map(|at| format!("unix:{}", paths[at].display()));
    fs::write(
        folder.path().join("token"),
        "a token of operators".replace(' ', "-"),
    )
    .unwrap();
    let proxy = Proxy::start(&format!(
        "access_log = \"access.log\"\n\
         [admin]\naddress = \"127.0.0.1:0\"\ntoken_file = \"{}/token\"\n\
         [[listeners]]\naddress = \"127.0.0.1:0\"\n\
         [[groups]]\nname = \"all\"\npolicy = \"round-robin\"\n\
         health = {{ path = \"/health\", interval = \"20ms\", healthy = 1, unhealthy = 1 }}\n\
         failures = {{ consecutive = 0 }}\n\
         [[groups.servers]]\naddress = \"{}\"\n[[groups.servers]]\naddress = \"{}\"\n",
        folder.path().display(),
        names[0],
        names[1]
    ));
    let up = |name: &str| format!("filch_server_up{{group=\"all\",server=\"{name}\"}}");
    // Until its check fails, the one that is not there costs a retry.
    for _ in 0..4 {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    }
    until("the second is down", async || {
        proxy.metric(&up(&names[1])).await == 0.0
    })
    .await;
    assert_eq!(proxy.metric(&up(&names[0])).await, 1.0);
    let two = relay(&paths[1], &server);
    until("the second is up", async || {
        proxy.metric(&up(&names[1])).await == 1.0
    })
    .await;
    // It has failed, so that it gets few requests at first.
    until("both have served", async || {
        assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        let by = |name: &str| proxy.log().iter().any(|line| line["server"] == name);
        by(&names[0]) && by(&names[1])
    })
    .await;
    // An operator drains one.
    let order = format!(
        "POST /groups/all/servers/{}/drain HTTP/1.1\r\nhost: localhost\r\n\
         authorization: Bearer a-token-of-operators\r\n\r\n",
        names[0]
    );
    let answer = send(proxy.admin, order.as_bytes())
        .await
        .expect("an answer");
    assert_eq!(answer.status, 200);
    assert_eq!(proxy.metric(&up(&names[0])).await, 0.0);
    drop((one, two));
    until("no server is there", async || {
        proxy.metric(&up(&names[1])).await == 0.0
    })
    .await;
    proxy.finish().await;
}

/// Connections are kept, and a server that starts again at its path is found.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_may_start_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.sock");
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::start(&format!(
        "access_log = \"access.log\"\n[admin]\naddress = \"127.0.0.1:0\"\n\
         [[listeners]]\naddress = \"127.0.0.1:0\"\n\
         [[groups]]\nname = \"all\"\nretries = 0\n\
         [[groups.servers]]\naddress = \"unix:{}\"\n",
        path.display()
    ));
    assert_eq!(proxy.get("/").await.expect("an answer").status, 502);
    for _ in 0..2 {
        let tasks = relay(&path, &server);
        for _ in 0..2 {
            assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
        }
        drop(tasks);
        fs::remove_file(&path).unwrap();
        // Long enough for the proxy to notice the end of its connection.
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let line = proxy.log().remove(0);
    assert_eq!(line["problem"], "connect", "{line}");
    proxy.finish().await;
}

/// They have no IP address. What they say about their own clients is passed on if it is believed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_may_come_over_a_unix_socket() {
    let server = Server::start(Behaviour::GOOD).await;
    for (forwarded, expected) in [("replace", None), ("append", Some("1.2.3.4"))] {
        let rest = format!("client = {{ forwarded = \"{forwarded}\", connections_each = 1 }}");
        let (proxy, path) = listening("", &rest, &server);
        let mut connection = Connection::open_at(&path).await;
        for _ in 0..2 {
            let request = b"GET / HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 1.2.3.4\r\n\r\n";
            connection.write(request).await;
            let answer = connection.answer().await.expect("an answer");
            assert_eq!((answer.status, answer.text()), (200, "hello"));
            let head = server.seen().last().unwrap().head.to_ascii_lowercase();
            let mut lines = head.lines();
            let told = lines.find_map(|line| line.strip_prefix("x-forwarded-for: "));
            assert_eq!(told, expected, "{head}");
            assert!(head.contains("x-forwarded-proto: http"), "{head}");
        }
        // Each of them has no address, so that no limit is for each.
        assert_eq!(ask(&path, GET).await.expect("an answer").status, 200);
        until("all are logged", async || proxy.log().len() == 3).await;
        assert!(proxy.log().iter().all(|line| line["client"] == "unix:"));
        drop(connection);
        proxy.finish().await;
        assert!(!path.exists(), "the file is removed at the end");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limit_on_all_connections_holds() {
    let server = Server::start(Behaviour::GOOD).await;
    let (proxy, path) = listening("", "client = { connections = 2 }", &server);
    let mut open = Vec::new();
    for status in [200, 200, 503] {
        let mut connection = Connection::open_at(&path).await;
        connection.write(GET).await;
        let answer = connection.answer().await.expect("an answer");
        assert_eq!(answer.status, status);
        open.push(connection);
    }
    drop(open);
    proxy.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mode_says_who_may_connect() {
    let server = Server::start(Behaviour::GOOD).await;
    for (line, expected) in [("", 0o600), ("mode = \"660\"", 0o660)] {
        let (proxy, path) = listening(line, "", &server);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, expected);
        proxy.finish().await;
    }
}

/// A file at which nobody listens is replaced, and no other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_stale_socket_is_replaced() {
    let server = Server::start(Behaviour::GOOD).await;
    let (proxy, path) = listening("", "", &server);
    let again = || match Running::start(&proxy.path()) {
        Err(ProxyStartError::Address(address, error)) => format!("{address}: {error}"),
        other => panic!("{other:?}"),
    };
    let shown = path.display();
    let refused = again();
    let expected = format!("unix:{shown}: address in use");
    assert_eq!(refused.to_ascii_lowercase(), expected.to_ascii_lowercase());
    assert_eq!(ask(&path, GET).await.expect("an answer").status, 200);
    // The file is removed, and another process listens there, and dies.
    fs::remove_file(&path).unwrap();
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let second = Running::start(&proxy.path()).unwrap();
    assert_eq!(ask(&path, GET).await.expect("an answer").status, 200);
    // The first proxy does not take it from the second.
    let Proxy {
        running, folder, ..
    } = proxy;
    assert_eq!(running.stop().await, 0);
    assert_eq!(ask(&path, GET).await.expect("an answer").status, 200);
    assert_eq!(second.stop().await, 0);
    assert!(!path.exists());
    fs::write(&path, "important").unwrap();
    let error = Running::start(&folder.path().join("proxy.toml")).unwrap_err();
    assert!(
        error.to_string().contains("a file that is no socket"),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), b"important");
}

/// Of several proxies that start at the same moment one gets the socket, also if its file is left
/// of a process that was killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_several_proxies_starts() {
    let server = Server::start(Behaviour::GOOD).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("front.sock");
    let file = folder.path().join("proxy.toml");
    let text = format!(
        "threads = 1\nlinger = \"1ms\"\naccess_log = \"off\"\n\
         [[listeners]]\naddress = \"unix:front.sock\"\n\
         [[groups]]\nname = \"all\"\n[[groups.servers]]\naddress = \"{}\"\n",
        server.address
    );
    fs::write(&file, text).unwrap();
    for _ in 0..50 {
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let mut starting = JoinSet::new();
        for _ in 0..3 {
            let file = file.clone();
            starting.spawn_blocking(move || Running::start(&file));
        }
        let (mut running, mut problems) = (Vec::new(), Vec::new());
        for started in starting.join_all().await {
            match started {
                Ok(proxy) => running.push(proxy),
                Err(ProxyStartError::Address(_, error)) => problems.push(error.kind()),
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(problems, [std::io::ErrorKind::AddrInUse; 2]);
        assert_eq!(ask(&path, GET).await.expect("an answer").status, 200);
        assert_eq!(running.remove(0).stop().await, 0);
        assert!(!path.exists());
    }
}

/// A successor has the socket, and its file stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_successor_gets_the_socket() {
    let server = Server::start(Behaviour::after(1)).await;
    let (proxy, path) = listening("", "upgrade = \"upgrade\"", &server);
    let Proxy {
        mut running,
        folder,
        ..
    } = proxy;
    let file = folder.path().join("proxy.toml");
    let (asked, done) = (
        path.clone(),
        std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false)),
    );
    let ended = std::sync::Arc::clone(&done);
    let client = tokio::spawn(async move {
        let mut count = 0;
        while !ended.load(std::sync::atomic::Ordering::Relaxed) {
            assert_eq!(ask(&asked, GET).await.expect("an answer").status, 200);
            count += 1;
        }
        count
    });
    for _ in 0..3 {
        let next = tokio::task::block_in_place(|| Running::take_over(&file)).unwrap();
        timeout(HANG, running.succeeded())
            .await
            .expect("it is told");
        assert_eq!(running.stop().await, 0);
        assert!(path.exists());
        running = next;
    }
    done.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(client.await.unwrap() > 0);
    assert_eq!(running.stop().await, 0);
    assert!(!path.exists());
}

/// The socket for a successor is made beside its path. A proxy that is killed when it starts leaves
/// it, and the next one replaces it; one that cannot start removes it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unpublished_socket_does_not_stay() {
    let server = Server::start(Behaviour::GOOD).await;
    let (proxy, path) = listening("", "upgrade = \"upgrade\"", &server);
    let folder = proxy.folder.path();
    let (file, unpublished) = (folder.join("proxy.toml"), folder.join("upgrade.new"));
    let take_over = || tokio::task::block_in_place(|| Running::take_over(&file));
    let text = fs::read_to_string(&file).unwrap();
    drop(std::os::unix::net::UnixListener::bind(&unpublished).unwrap());
    // It opens its sockets before the access log.
    std::os::unix::fs::symlink("nowhere/access.log", folder.join("log")).unwrap();
    fs::write(&file, text.replace("access.log", "log")).unwrap();
    take_over().unwrap_err();
    assert!(!unpublished.exists());
    fs::write(&file, &text).unwrap();
    drop(std::os::unix::net::UnixListener::bind(&unpublished).unwrap());
    let next = take_over().unwrap();
    assert!(!unpublished.exists());
    let mut old = proxy.running;
    timeout(HANG, old.succeeded()).await.expect("it is told");
    assert_eq!(old.stop().await, 0);
    assert_eq!(ask(&path, GET).await.expect("an answer").status, 200);
    assert_eq!(next.stop().await, 0);
}

/// Two proxies that start at the same moment do not take this socket from each other either.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unpublished_socket_is_not_taken() {
    let server = Server::start(Behaviour::GOOD).await;
    let (proxy, path) = listening("", "", &server);
    let folder = proxy.folder.path();
    let another = UnixListener::bind(folder.join("upgrade.new")).unwrap();
    let text = fs::read_to_string(proxy.path()).unwrap();
    let text = text.replace("front.sock", "second.sock");
    let file = folder.join("second.toml");
    fs::write(&file, format!("upgrade = \"upgrade\"\n{text}")).unwrap();
    let error = Running::start(&file).unwrap_err().to_string();
    assert!(error.to_lowercase().contains("address in use"), "{error}");
    assert!(
        error.contains("/upgrade.new', which cannot be used"),
        "{error}"
    );
    drop(another);
    // Nor is another file.
    fs::write(folder.join("upgrade"), "important").unwrap();
    let error = Running::start(&file).unwrap_err().to_string();
    assert!(error.contains("a file that is no socket"), "{error}");
    assert_eq!(fs::read(folder.join("upgrade")).unwrap(), b"important");
    assert!(!folder.join("second.sock").exists());
    assert_eq!(ask(&path, GET).await.expect("an answer").status, 200);
    proxy.finish().await;
}

/// What is in flight is answered, and new connections are refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_lets_requests_finish() {
    let server = Server::start(Behaviour::after(300)).await;
    let (proxy, path) = listening("", "grace = \"20s\"", &server);
    let asked = path.clone();
    let client = tokio::spawn(async move { ask(&asked, GET).await });
    until("it is being served", async || !server.seen().is_empty()).await;
    assert_eq!(proxy.running.stop().await, 0);
    assert_eq!(client.await.unwrap().expect("an answer").status, 200);
    assert!(UnixStream::connect(&path).await.is_err());
}

/// TLS and the PROXY protocol do not mind what carries them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_balancer_may_come_over_a_unix_socket() {
    let server = Server::start(Behaviour::GOOD).await;
    let listener = format!("proxy_protocol = {{ from = [\"unix\"] }}\n{}", tls());
    let (proxy, path) = listening(&listener, "", &server);
    let mut stream = UnixStream::connect(&path).await.unwrap();
    for part in [&b"PROXY TCP4 203.0."[..], b"113.7 10.0.0.1 4660 80\r\n"] {
        stream.write_all(part).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let mut stream = encrypted_over(stream, &["http/1.1"]).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    let read = stream.read_to_string(&mut answer);
    timeout(HANG, read).await.expect("an end in time").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let head = server.seen().remove(0).head.to_ascii_lowercase();
    assert!(head.contains("x-forwarded-for: 203.0.113.7"), "{head}");
    assert!(head.contains("x-forwarded-proto: https"), "{head}");
    // Without a header there is no handshake.
    let stream = UnixStream::connect(&path).await.unwrap();
    assert!(encrypted_over(stream, &["http/1.1"]).await.is_err());
    proxy.finish().await;
}

/// A proxy that cannot start removes the socket that it has made, but not the one of another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_does_not_start_leaves_no_socket() {
    let server = Server::start(Behaviour::GOOD).await;
    let (proxy, path) = listening("", "", &server);
    let taken = server.address;
    let failing = |folder: &Path, socket: &Path| {
        let file = folder.join("failing.toml");
        let text = format!(
            "[[listeners]]\naddress = \"unix:{}\"\n[[listeners]]\naddress = \"{taken}\"\n\
             [[groups]]\nname = \"all\"\n[[groups.servers]]\naddress = \"{taken}\"\n",
            socket.display()
        );
        fs::write(&file, text).unwrap();
        Running::start(&file).unwrap_err().to_string()
    };
    let own = proxy.folder.path().join("own.sock");
    let error = failing(proxy.folder.path(), &own);
    assert!(error.contains(&taken.to_string()), "{error}");
    assert!(!own.exists());
    let error = failing(proxy.folder.path(), &path);
    assert!(error.contains("front.sock"), "{error}");
    assert_eq!(ask(&path, GET).await.expect("an answer").status, 200);
    proxy.finish().await;
}
