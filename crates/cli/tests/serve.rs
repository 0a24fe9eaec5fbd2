//! `filch proxy --config` and `--check` as a user sees them.

#![cfg(all(feature = "proxy", unix))]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

fn filch(args: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_filch"));
    command.arg("proxy").args(args).current_dir(folder);
    command.stdin(Stdio::null());
    command
}

fn output(args: &[&str], folder: &Path) -> Output {
    filch(args, folder).output().expect("filch runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("filch writes UTF-8")
}

fn configuration(server: SocketAddr) -> String {
    format!(
        "[admin]\naddress = \"127.0.0.1:0\"\n\
         [[listeners]]\naddress = \"127.0.0.1:0\"\n\
         [[groups]]\nname = \"all\"\n[[groups.servers]]\naddress = \"{server}\"\n"
    )
}

#[test]
fn good_and_bad_configurations() {
    let home = tempfile::tempdir().unwrap();
    let good = configuration("127.0.0.1:1".parse().unwrap());
    fs::write(home.path().join("good.toml"), &good).unwrap();
    let checked = output(&["--check", "good.toml"], home.path());
    assert_eq!(checked.status.code(), Some(0));
    let expected = "good.toml: good (1 listener, 1 group, 1 server, 1 route)\n";
    assert_eq!(text(&checked.stdout), expected);

    let bad = good.replace("name = \"all\"", "name = \"all\"\nretries = 99");
    fs::write(home.path().join("bad.toml"), bad).unwrap();
    for option in ["--check", "--config"] {
        let checked = output(&[option, "bad.toml"], home.path());
        assert_eq!(checked.status.code(), Some(2), "{option}");
        assert_eq!(text(&checked.stdout), "");
        let expected = "filch: bad.toml, line 7: groups.retries: 99 is not allowed: give a whole number from 0 to 10\n";
        assert_eq!(text(&checked.stderr), expected);
    }
    let missing = output(&["--check", "missing.toml"], home.path());
    assert_eq!(missing.status.code(), Some(2));
}

/// A path is the same however it is written, also if it goes through a link.
#[test]
fn a_socket_is_for_clients_or_for_a_successor() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("far/folder")).unwrap();
    std::os::unix::fs::symlink("far/folder", home.path().join("link")).unwrap();
    let good = configuration("127.0.0.1:1".parse().unwrap());
    for (upgrade, clients, is_good) in [
        ("x/../c.sock", "c.sock", false),
        ("link/c.sock", "far/folder/c.sock", false),
        ("link/../c.sock", "far/c.sock", false),
        ("link/../c.sock", "c.sock", true),
    ] {
        let address = format!("[[listeners]]\naddress = \"unix:{clients}\"\n[admin]");
        let file = good.replace("[admin]", &address);
        let file = format!("upgrade = \"{upgrade}\"\n{file}");
        fs::write(home.path().join("proxy.toml"), file).unwrap();
        let checked = output(&["--check", "proxy.toml"], home.path());
        let stderr = text(&checked.stderr);
        let expected = if is_good {
            String::new()
        } else {
            "filch: proxy.toml, line 1: upgrade: clients connect there: write another path\n".into()
        };
        assert_eq!(stderr, expected, "{upgrade} {clients}");
    }
}

/// The proxy runs with a certificate that has expired, so the file is good.
#[test]
fn an_expired_certificate_is_a_warning() {
    let home = tempfile::tempdir().unwrap();
    let certificates =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../balance/tests/proxy/certificates");
    let [pem, key] = ["expired.pem", "expired.key"].map(|name| certificates.join(name));
    let tls = format!("tls = {{ certificate = {pem:?}, key = {key:?} }}\n[[groups]]");
    let good = configuration("127.0.0.1:1".parse().unwrap()).replace("[[groups]]", &tls);
    fs::write(home.path().join("old.toml"), good).unwrap();
    let checked = output(&["--check", "old.toml"], home.path());
    assert_eq!(checked.status.code(), Some(0));
    assert!(text(&checked.stdout).starts_with("old.toml: good"));
    let warning = text(&checked.stderr);
    let field = "filch: old.toml: warning: listeners.tls.certificate: the certificate in '";
    assert!(warning.starts_with(field), "{warning}");
    assert!(
        warning.ends_with("expired.pem' has expired: renew it\n"),
        "{warning}"
    );
}

/// A client that does not speak TLS where it must is named on standard error.
#[test]
fn a_failed_handshake_has_a_line() {
    let home = tempfile::tempdir().unwrap();
    let certificates =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../balance/tests/proxy/certificates");
    let [pem, key] = ["server.pem", "server.key"].map(|name| certificates.join(name));
    let tls = format!("tls = {{ certificate = {pem:?}, key = {key:?} }}\n[[groups]]");
    let file = configuration("127.0.0.1:1".parse().unwrap()).replace("[[groups]]", &tls);
    fs::write(home.path().join("proxy.toml"), file).unwrap();
    let (_child, mut said) = start(home.path());
    let address = says(&mut said, "listening at");
    let mut stream = TcpStream::connect(address.rsplit(' ').next().unwrap()).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let line = says(&mut said, "TLS with");
    let client = stream.local_addr().unwrap();
    let expected =
        format!(" info TLS with {client} has failed: malformed: received corrupt message");
    assert!(line.contains(&expected), "{line}");
}

#[test]
fn an_address_in_use_is_one_line() {
    let home = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let file = configuration("127.0.0.1:1".parse().unwrap());
    let file = file.replace(
        "[[listeners]]\naddress = \"127.0.0.1:0\"",
        &format!("[[listeners]]\naddress = \"{address}\""),
    );
    fs::write(home.path().join("proxy.toml"), file).unwrap();
    let run = output(&["--config", "proxy.toml"], home.path());
    assert_eq!(run.status.code(), Some(1));
    let stderr = text(&run.stderr);
    assert!(
        stderr.starts_with(&format!("filch: cannot listen at {address}: ")),
        "{stderr}"
    );
    assert_eq!(stderr.lines().count(), 1);
}

/// Kills the child if a test fails.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The file of a socket is left behind by a proxy that was killed, and then replaced.
#[test]
fn a_unix_socket_is_replaced_if_nobody_listens_there() {
    let home = tempfile::tempdir().unwrap();
    let file = configuration(server(Duration::ZERO));
    let file = file.replace(
        "[[listeners]]\naddress = \"127.0.0.1:0\"",
        "[[listeners]]\naddress = \"unix:front.sock\"",
    );
    fs::write(home.path().join("proxy.toml"), file).unwrap();
    let checked = output(&["--check", "proxy.toml"], home.path());
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    let path = home.path().join("front.sock");
    for _ in 0..2 {
        let (mut child, mut said) = start(home.path());
        let address = says(&mut said, "listening at unix:");
        assert!(address.ends_with("/front.sock"), "{address}");
        let mut stream = UnixStream::connect(&path).unwrap();
        stream
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let second = output(&["--config", "proxy.toml"], home.path());
        assert_eq!(second.status.code(), Some(1));
        let stderr = text(&second.stderr);
        assert!(
            stderr.starts_with("filch: cannot listen at unix:"),
            "{stderr}"
        );
        assert_eq!(stderr.lines().count(), 1);
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        assert!(path.exists());
    }
}

/// A server that answers every connection's first request after a while.
fn server(after: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while lines
                    .next()
                    .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
                {}
                thread::sleep(after);
                let answer =
                    b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
                let _ = stream.write_all(answer);
            });
        }
    });
    address
}

fn get(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

type Said = std::io::Lines<BufReader<std::process::ChildStderr>>;

/// The proxy of the file `proxy.toml`, and what it says.
fn start(folder: &Path) -> (Killed, Said) {
    let mut command = filch(&["--config", "proxy.toml"], folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Killed(command.spawn().unwrap());
    let said = BufReader::new(child.0.stderr.take().unwrap()).lines();
    (child, said)
}

/// The next line that contains this.
fn says(said: &mut Said, what: &str) -> String {
    let mut lines = said.map(Result::unwrap);
    let line = lines.find(|line| line.contains(what));
    line.unwrap_or_else(|| panic!("it never said {what}"))
}

#[test]
fn it_runs_reloads_and_stops() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("proxy.toml");
    let good = configuration(server(Duration::from_millis(500)));
    fs::write(&file, &good).unwrap();
    let mut command = filch(&["--config", "proxy.toml"], home.path());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Killed(command.spawn().unwrap());
    let mut said = BufReader::new(child.0.stderr.take().unwrap()).lines();
    let mut says = |what: &str| {
        let line = said
            .by_ref()
            .map(Result::unwrap)
            .find(|line| line.contains(what));
        line.unwrap_or_else(|| panic!("it never said {what}"))
    };
    let line = says("listening at");
    let address = line.rsplit(' ').next().unwrap().to_owned();
    assert!(get(&address).starts_with("HTTP/1.1 200"));

    signal(&child.0, "HUP");
    says("configuration reloaded");
    fs::write(&file, "nonsense").unwrap();
    let refused = says("reload refused");
    assert!(refused.contains("proxy.toml, line 1"), "{refused}");
    assert!(get(&address).starts_with("HTTP/1.1 200"));

    // What is being served is finished.
    let asked = address.clone();
    let client = thread::spawn(move || get(&asked));
    thread::sleep(Duration::from_millis(200));
    signal(&child.0, "TERM");
    assert!(client.join().unwrap().ends_with("hello"));
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
    let mut log = String::new();
    child
        .0
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut log)
        .unwrap();
    let statuses: Vec<_> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["status"].clone())
        .collect();
    assert_eq!(statuses, [200, 200, 200]);
}

/// The proxy holds 10,000 idle connections, or as many as the limit on open files allows.
#[test]
fn ten_thousand_idle_connections() {
    let limit = filch_balance::proxy::raise_file_limit().unwrap_or(1024);
    let wanted = limit.saturating_sub(200).min(10_000);
    if wanted < 10_000 {
        let note = format!("only {wanted} connections: the limit on open files allows no more\n");
        std::io::stderr().write_all(note.as_bytes()).unwrap();
    }
    let home = tempfile::tempdir().unwrap();
    // Half of a header may take long here, and is waited for at the end.
    let slow = "grace = \"1s\"\n[client]\nheader = \"1h\"\n";
    let text = format!("{slow}{}", configuration(server(Duration::ZERO)));
    fs::write(home.path().join("proxy.toml"), text).unwrap();
    let (mut child, mut said) = start(home.path());
    let address = says(&mut said, "listening at");
    let address = address.rsplit(' ').next().unwrap().to_owned();
    let mut idle = Vec::new();
    for number in 0..wanted {
        let mut stream = TcpStream::connect(&address).unwrap();
        // Some have said something, but not all.
        if number % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\nho").unwrap();
        }
        idle.push(stream);
        if number % 1000 == 0 {
            assert!(get(&address).starts_with("HTTP/1.1 200"));
        }
    }
    for _ in 0..20 {
        assert!(get(&address).starts_with("HTTP/1.1 200"));
    }
    // One that was idle for long is served like any other.
    let mut late = idle.swap_remove(0);
    late.write_all(b"st: a\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    late.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // The others are not waited for at the end.
    signal(&child.0, "TERM");
    assert_eq!(child.0.wait().unwrap().code(), Some(0));
}

/// The resident memory of a process in bytes, where the system tells it.
fn resident(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Reads one answer of the servers here, and leaves the connection open.
fn answer(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    while !answer.ends_with(b"hello") {
        let mut byte = [0];
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "the answer breaks off");
        answer.push(byte[0]);
    }
    String::from_utf8(answer).unwrap()
}

#[test]
fn an_idle_connection_costs_little_memory() {
    const CONNECTIONS: u64 = 500;
    let home = tempfile::tempdir().unwrap();
    let text = format!("threads = 1\n{}", configuration(server(Duration::ZERO)));
    fs::write(home.path().join("proxy.toml"), text).unwrap();
    let (child, mut said) = start(home.path());
    let address = says(&mut said, "listening at");
    let address = address.rsplit(' ').next().unwrap().to_owned();
    let ask = || {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
            .unwrap();
        assert!(answer(&mut stream).starts_with("HTTP/1.1 200"));
        stream
    };
    // What the first requests need, all others share.
    drop((0..50).map(|_| ask()).collect::<Vec<_>>());
    let Some(before) = resident(&child.0) else {
        return;
    };
    let idle: Vec<_> = (0..CONNECTIONS).map(|_| ask()).collect();
    let each = resident(&child.0).unwrap().saturating_sub(before) / CONNECTIONS;
    assert!(each < 10_000, "{each} bytes for each idle connection");
    drop(idle);
}

/// A client that keeps its connections for as long as the proxy does, and counts on every answer.
fn client(address: &str, stop: &std::sync::atomic::AtomicUsize) -> usize {
    let mut connection: Option<TcpStream> = None;
    let mut answers = 0;
    // Ordering: the count guards no other data.
    while stop.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < REQUESTS {
        let mut stream = connection
            .take()
            .unwrap_or_else(|| TcpStream::connect(address).unwrap());
        stream
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
            .unwrap();
        let answer = answer(&mut stream).to_ascii_lowercase();
        assert!(answer.starts_with("http/1.1 200"), "{answer}");
        if !answer.contains("connection: close") {
            connection = Some(stream);
        }
        answers += 1;
    }
    answers
}

const REQUESTS: usize = 10_000;

/// The sockets pass from proxy to proxy, and clients notice nothing.
#[test]
fn upgrades_lose_no_request() {
    let home = tempfile::tempdir().unwrap();
    let port = free_address();
    let text = upgradable(port, "off");
    fs::write(home.path().join("proxy.toml"), text).unwrap();
    let (mut child, mut said) = start(home.path());
    says(&mut said, "listening at");
    let sent = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let sent = std::sync::Arc::clone(&sent);
            thread::spawn(move || client(&port.to_string(), &sent))
        })
        .collect();
    for part in 1..=3 {
        // The upgrades are spread over the requests.
        while sent.load(std::sync::atomic::Ordering::Relaxed) < REQUESTS * part / 4 {
            thread::sleep(Duration::from_millis(1));
        }
        let (successor, mut said) = successor(home.path());
        says(&mut said, "listening at");
        assert_eq!(
            child.0.wait().unwrap().code(),
            Some(0),
            "the predecessor ends"
        );
        child = successor;
    }
    let answers: usize = clients
        .into_iter()
        .map(|client| client.join().unwrap())
        .sum();
    assert_eq!(answers, REQUESTS);
}

/// A configuration with an address for clients that stays, and this access log.
fn upgradable(port: SocketAddr, access_log: &str) -> String {
    let text = configuration(kept_server()).replace(
        "[[listeners]]\naddress = \"127.0.0.1:0\"",
        &format!("[[listeners]]\naddress = \"{port}\""),
    );
    format!("access_log = \"{access_log}\"\nupgrade = \"upgrade\"\n{text}")
}

/// An address at which nothing listens.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// A proxy that takes the place of the one that runs in this folder.
fn successor(folder: &Path) -> (Killed, Said) {
    let mut command = filch(&["--config", "proxy.toml", "--upgrade"], folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Killed(command.spawn().unwrap());
    let said = BufReader::new(child.0.stderr.take().unwrap()).lines();
    (child, said)
}

/// A successor that fails at the very end of its start leaves the old proxy as it was: it serves,
/// and hands over to the next successor.
#[test]
fn a_successor_that_fails_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (port, file) = (free_address(), home.path().join("proxy.toml"));
    fs::write(&file, upgradable(port, "off")).unwrap();
    let (mut old, mut said) = start(home.path());
    says(&mut said, "listening at");
    // The folder of the link is there, but not that of the file.
    std::os::unix::fs::symlink("nowhere/access.log", home.path().join("log")).unwrap();
    fs::write(&file, upgradable(port, "log")).unwrap();
    let (mut failing, mut said_by_failing) = successor(home.path());
    says(&mut said_by_failing, "access log");
    assert_eq!(failing.0.wait().unwrap().code(), Some(1));
    let left = fs::read_dir(home.path()).unwrap();
    let mut left: Vec<_> = left.map(|file| file.unwrap().file_name()).collect();
    left.sort_unstable();
    assert_eq!(left, ["log", "proxy.toml", "upgrade"]);
    says(
        &mut said,
        "a successor took the sockets and then failed to start",
    );
    assert!(get(&port.to_string()).starts_with("HTTP/1.1 200"));
    fs::write(&file, upgradable(port, "off")).unwrap();
    let (_new, mut said) = successor(home.path());
    says(&mut said, "listening at");
    assert_eq!(old.0.wait().unwrap().code(), Some(0));
    assert!(get(&port.to_string()).starts_with("HTTP/1.1 200"));
}

/// If the old proxy dies while its successor starts, the successor has the sockets and serves.
#[test]
fn a_successor_goes_on_if_the_old_proxy_dies() {
    let home = tempfile::tempdir().unwrap();
    let port = free_address();
    fs::write(home.path().join("proxy.toml"), upgradable(port, "off")).unwrap();
    // Hands over, and is gone.
    let old = std::os::unix::net::UnixListener::bind(home.path().join("upgrade")).unwrap();
    let (mut new, mut said) = successor(home.path());
    old.accept().unwrap().0.write_all(b"sockets").unwrap();
    drop(old);
    says(&mut said, "has ended meanwhile");
    says(&mut said, "listening at");
    assert!(get(&port.to_string()).starts_with("HTTP/1.1 200"));
    // It can have a successor itself.
    let (_newer, mut said) = successor(home.path());
    says(&mut said, "listening at");
    assert_eq!(new.0.wait().unwrap().code(), Some(0));
}

/// A proxy that hangs up without a word has handed over to another successor, or stops.
#[test]
fn a_successor_without_sockets_does_not_start() {
    let home = tempfile::tempdir().unwrap();
    let port = free_address();
    fs::write(home.path().join("proxy.toml"), upgradable(port, "off")).unwrap();
    let old = std::os::unix::net::UnixListener::bind(home.path().join("upgrade")).unwrap();
    let (mut new, mut said) = successor(home.path());
    drop(old.accept().unwrap());
    says(&mut said, "cannot take over at");
    assert_eq!(new.0.wait().unwrap().code(), Some(1));
}

/// A server that answers every request at once and keeps its connections.
fn kept_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while let Some(Ok(line)) = lines.next() {
                    if line.is_empty() {
                        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
                        let _ = stream.write_all(answer);
                    }
                }
            });
        }
    });
    address
}
