//! A proxy with its configuration file.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;

use filch_balance::proxy::Running;
use serde_json::Value;
use tempfile::TempDir;

use super::{Answer, Server, get, send, until};

/// A proxy that runs.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    pub(crate) admin: SocketAddr,
    pub(crate) running: Running,
    pub(crate) folder: TempDir,
}

/// The beginning of every configuration.
const FRONT: &str = r#"
access_log = "access.log"
grace = "20s"
[admin]
address = "127.0.0.1:0"
[[listeners]]
address = "127.0.0.1:0"
"#;

impl Proxy {
    /// A proxy in front of one group of these servers, with these lines in the group's table.
    pub(crate) async fn before(servers: &[&Server], group: &str) -> Self {
        Self::start(&configuration(servers, group))
    }

    /// The same with these lines in the table of limits on clients.
    pub(crate) fn limiting(client: &str, servers: &[&Server], group: &str) -> Self {
        let text = configuration(servers, group);
        Self::start(&format!("{text}[client]\n{client}\n"))
    }

    pub(crate) fn start(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proxy.toml");
        fs::write(&path, text).unwrap();
        let running = Running::start(&path).unwrap();
        Self {
            address: running.addresses()[0].ip().unwrap(),
            admin: running.admin().unwrap(),
            running,
            folder,
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("proxy.toml")
    }

    pub(crate) async fn get(&self, path: &str) -> Option<Answer> {
        get(self.address, path).await
    }

    pub(crate) async fn send(&self, bytes: &[u8]) -> Option<Answer> {
        send(self.address, bytes).await
    }

    /// Replaces the file in one step, as editors do.
    pub(crate) fn rewrite(&self, text: &str) {
        let new = self.folder.path().join("new.toml");
        fs::write(&new, text).unwrap();
        fs::rename(&new, self.path()).unwrap();
    }

    pub(crate) async fn state(&self) -> Value {
        let answer = get(self.admin, "/state.json").await.unwrap();
        assert_eq!(answer.status, 200);
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// What is known about this server of the first group.
    pub(crate) async fn server(&self, server: &Server) -> Value {
        let state = self.state().await;
        let name = server.address.to_string();
        let servers = state["groups"][0]["servers"].as_array().unwrap();
        let found = servers.iter().find(|known| known["name"] == *name);
        found.cloned().unwrap_or(Value::Null)
    }

    /// The value of a metric with these labels.
    pub(crate) async fn metric(&self, name: &str) -> f64 {
        let answer = get(self.admin, "/metrics").await.unwrap();
        let mut lines = answer.text().lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value
            .unwrap_or_else(|| panic!("no metric {name}"))
            .parse()
            .unwrap()
    }

    /// Waits until every lease has been returned.
    pub(crate) async fn settled(&self) {
        until("every lease is back", async || {
            let state = self.state().await;
            let groups = state["groups"].as_array().unwrap();
            let servers = groups
                .iter()
                .flat_map(|group| group["servers"].as_array().unwrap());
            state["in_flight"] == 0
                && groups.iter().all(|group| group["waiting"] == 0)
                && servers.into_iter().all(|server| server["outstanding"] == 0)
        })
        .await;
    }

    /// Waits until all requests have ended, and stops.
    pub(crate) async fn finish(self) {
        self.settled().await;
        assert_eq!(self.running.stop().await, 0);
    }

    /// The lines of the access log so far. One that is only begun is left out: the proxy writes as
    /// much as it has, and the system may show a part of that.
    pub(crate) fn log(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join("access.log")).unwrap();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = whole.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// A configuration with one group of these servers. A line that begins with `server.` is for each
/// server.
pub(crate) fn configuration(servers: &[&Server], group: &str) -> String {
    let (mut of_group, mut of_server) = (String::new(), String::new());
    for line in group.lines() {
        match line.trim().strip_prefix("server.") {
            Some(line) => of_server += &format!("{line}\n"),
            None => of_group += &format!("{line}\n"),
        }
    }
    let mut text = format!("{FRONT}\n[[groups]]\nname = \"all\"\n{of_group}\n");
    for server in servers {
        text += &format!(
            "[[groups.servers]]\naddress = \"{}\"\n{of_server}\n",
            server.address
        );
    }
    text
}

/// This configuration with `backup` as a backup.
pub(crate) fn with_backup(configuration: &str, backup: &Server) -> String {
    let at = format!("address = \"{}\"\n", backup.address);
    configuration.replace(&at, &format!("{at}backup = true\n"))
}
