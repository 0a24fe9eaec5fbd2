use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

use super::Model;
use super::process::{BalancerProcess, free_port};

/// HAProxy with one algorithm, on one thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Haproxy {
    /// The algorithm, by HAProxy's name.
    balance: &'static str,
    /// The policy of ours that does the same.
    policy: &'static str,
}

impl Haproxy {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        [
            ("roundrobin", "round-robin"),
            ("random(2)", "jsq:2"),
            ("leastconn", "jsq"),
        ]
        .into_iter()
        .map(|(balance, policy)| Self { balance, policy })
    }

    pub(super) fn name(self) -> String {
        format!("HAProxy {}", self.balance)
    }

    pub(super) fn model(self) -> Model {
        Model::of(self.policy)
    }

    pub(super) fn start(
        self,
        servers: &[SocketAddr],
        folder: &Path,
    ) -> io::Result<BalancerProcess> {
        let entry = free_port()?;
        let mut configuration = format!(
            "global\n  nbthread 1\n  maxconn 9000\n\
             defaults\n  mode http\n  http-reuse always\n  option http-keep-alive\n\
             \x20 timeout connect 10s\n  timeout client 120s\n  timeout server 120s\n\
             frontend entry\n  bind {entry}\n  default_backend toys\n\
             backend toys\n  balance {}\n",
            self.balance
        );
        for (at, server) in servers.iter().enumerate() {
            let _ = writeln!(configuration, "  server toy{at} {server}");
        }
        let file = folder.join("haproxy.cfg");
        fs::write(&file, configuration)?;
        let mut command = Command::new("haproxy");
        command.arg("-db").arg("-q").arg("-f").arg(&file);
        BalancerProcess::start(command, entry)
    }
}
