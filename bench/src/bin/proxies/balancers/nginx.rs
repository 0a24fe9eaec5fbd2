use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

use super::Model;
use super::process::{BalancerProcess, free_port};

/// nginx with one algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Nginx {
    selection: NginxSelection,
    workers: usize,
    /// Whether the workers share their counts.
    zone: bool,
    /// Whether the fast servers have ten times the weight.
    weights: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum NginxSelection {
    RoundRobin,
    LeastConn,
    RandomTwo,
}

impl Nginx {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        use NginxSelection::{LeastConn, RandomTwo, RoundRobin};
        let rows = [
            (RoundRobin, 1, false, false),
            (RandomTwo, 1, true, false),
            (LeastConn, 1, false, false),
            (LeastConn, 2, false, false),
            (LeastConn, 2, true, false),
            (LeastConn, 1, false, true),
        ];
        rows.into_iter()
            .map(|(selection, workers, zone, weights)| Self {
                selection,
                workers,
                zone,
                weights,
            })
    }

    pub(super) fn name(&self) -> String {
        let mut name = match self.selection {
            NginxSelection::RoundRobin => "nginx round robin",
            NginxSelection::LeastConn => "nginx least_conn",
            NginxSelection::RandomTwo => "nginx random two",
        }
        .to_owned();
        if self.workers > 1 {
            let shared = if self.zone { "shared zone" } else { "no zone" };
            let _ = write!(name, ", {} workers, {shared}", self.workers);
        }
        if self.weights {
            name.push_str(", right weights");
        }
        name
    }

    /// None for least_conn with weights, which compares connections over weights as no policy of
    /// ours does.
    pub(super) fn model(&self) -> Option<Model> {
        let policy = match self.selection {
            _ if self.weights => return None,
            NginxSelection::RoundRobin => "round-robin",
            NginxSelection::LeastConn => "jsq",
            NginxSelection::RandomTwo => "jsq:2",
        };
        Some(Model {
            dispatchers: if self.zone { 1 } else { self.workers },
            ..Model::of(policy)
        })
    }

    pub(super) fn start(
        &self,
        servers: &[SocketAddr],
        weights: &[f64],
        folder: &Path,
    ) -> io::Result<BalancerProcess> {
        let entry = free_port()?;
        let file = folder.join("nginx.conf");
        fs::write(&file, self.configuration(entry, servers, weights, folder))?;
        let mut command = Command::new("nginx");
        command.arg("-c").arg(&file).arg("-p").arg(folder);
        command.arg("-e").arg(folder.join("error.log"));
        BalancerProcess::start(command, entry)
    }

    fn configuration(
        &self,
        entry: SocketAddr,
        servers: &[SocketAddr],
        weights: &[f64],
        folder: &Path,
    ) -> String {
        let folder = folder.display();
        let mut upstream = String::new();
        if self.zone {
            upstream.push_str("zone toys 256k; ");
        }
        upstream.push_str(match self.selection {
            NginxSelection::RoundRobin => "",
            NginxSelection::LeastConn => "least_conn; ",
            NginxSelection::RandomTwo => "random two least_conn; ",
        });
        for (server, weight) in servers.iter().zip(weights) {
            let weight = if self.weights { *weight } else { 1.0 };
            let _ = write!(upstream, "server {server} weight={weight:.0} max_fails=0; ");
        }
        let workers = self.workers;
        format!(
            "daemon off;\n\
             worker_processes {workers};\n\
             pid {folder}/nginx.pid;\n\
             error_log {folder}/error.log;\n\
             worker_rlimit_nofile 20000;\n\
             events {{ worker_connections 10000; }}\n\
             http {{\n\
               access_log off;\n\
               client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n\
               fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;\n\
               scgi_temp_path {folder}/scgi;\n\
               keepalive_requests 1000000;\n\
               upstream toys {{ {upstream} keepalive 1000; keepalive_requests 1000000; }}\n\
               server {{\n\
                 listen {entry};\n\
                 location / {{\n\
                   proxy_pass http://toys; proxy_http_version 1.1;\n\
                   proxy_set_header Connection \"\";\n\
                   proxy_read_timeout 120s;\n\
                 }}\n\
               }}\n\
             }}\n"
        )
    }
}
