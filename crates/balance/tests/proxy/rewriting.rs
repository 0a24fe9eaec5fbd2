//! Requests whose host is replaced on their way to a server.

use crate::harness::{Behaviour, Proxy, Server};

/// The server is asked for the group's host, and told the client's, whatever the client says.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_host_is_replaced() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "host = \"inside.example:81\"").await;
    for (target, host) in [
        ("/x?y", "Outside.example"),
        ("http://outside.example:80/x?y", "outside.example:80"),
    ] {
        let request = format!(
            "GET {target} HTTP/1.1\r\nhost: {host}\r\nx-forwarded-host: forged\r\n\
             connection: close\r\n\r\n"
        );
        let answer = proxy.send(request.as_bytes()).await.unwrap();
        assert_eq!(answer.status, 200);
        let head = server.seen().last().unwrap().head.to_ascii_lowercase();
        let fields = |name: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(": "));
            let values = lines.filter(|(field, _)| *field == name);
            values
                .map(|(_, value)| value.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(fields("host"), ["inside.example:81"], "{head}");
        assert_eq!(fields("x-forwarded-host"), [host.to_ascii_lowercase()]);
        assert!(head.lines().next().unwrap().contains("/x?y http/1.1"));
        assert!(!head.lines().next().unwrap().contains("outside"), "{head}");
    }
    proxy.finish().await;
}
