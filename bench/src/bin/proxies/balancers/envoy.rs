use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use serde_json::{Value, json};

use super::Model;
use super::process::{self, BalancerProcess, free_port};

/// A stock Envoy, and the folder of our module for it.
#[derive(Clone, Debug)]
pub(crate) struct EnvoyFiles {
    pub(crate) program: PathBuf,
    pub(crate) module: PathBuf,
}

/// One Envoy or several, of one worker thread each, with one policy.
#[derive(Clone, Debug)]
pub(crate) struct Envoy {
    files: EnvoyFiles,
    selection: EnvoySelection,
    processes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum EnvoySelection {
    RoundRobin,
    LeastRequest(u32),
    Random,
    ClientSideWeighted,
    /// Ours, with this policy, and with the tokens of servers.
    Filch(&'static str),
    /// The same without tokens.
    FilchAlone(&'static str),
}

const SELECTIONS: [EnvoySelection; 8] = [
    EnvoySelection::RoundRobin,
    EnvoySelection::LeastRequest(2),
    EnvoySelection::LeastRequest(8),
    EnvoySelection::Random,
    EnvoySelection::ClientSideWeighted,
    EnvoySelection::Filch("idle-fastest(sed)"),
    EnvoySelection::Filch("considerate"),
    EnvoySelection::FilchAlone("idle-fastest(sed)"),
];

impl EnvoySelection {
    fn is_ours(self) -> bool {
        matches!(self, Self::Filch(_) | Self::FilchAlone(_))
    }
}

const TYPES: &str = "type.googleapis.com/envoy.extensions";

impl Envoy {
    pub(super) fn all(files: EnvoyFiles) -> impl Iterator<Item = Self> {
        SELECTIONS.into_iter().flat_map(move |selection| {
            let files = files.clone();
            // Without tokens, several processes are not what the simulator predicts.
            let processes: &[usize] = match selection {
                EnvoySelection::FilchAlone(_) => &[1],
                _ => &[1, 2, 8],
            };
            processes.iter().map(move |&processes| Self {
                files: files.clone(),
                selection,
                processes,
            })
        })
    }

    pub(super) fn name(&self) -> String {
        let policy = match self.selection {
            EnvoySelection::RoundRobin => "Envoy ROUND_ROBIN".to_owned(),
            EnvoySelection::LeastRequest(choices) => format!("Envoy LEAST_REQUEST of {choices}"),
            EnvoySelection::Random => "Envoy RANDOM".to_owned(),
            EnvoySelection::ClientSideWeighted => {
                "Envoy CLIENT_SIDE_WEIGHTED_ROUND_ROBIN".to_owned()
            }
            EnvoySelection::Filch(policy) => format!("Envoy with filch {policy}"),
            EnvoySelection::FilchAlone(policy) => {
                format!("Envoy with filch {policy} without tokens")
            }
        };
        match self.processes {
            1 => policy,
            several => format!("{policy}, {several} processes"),
        }
    }

    pub(super) fn processes(&self) -> usize {
        self.processes
    }

    pub(super) fn version(&self) -> Result<String, String> {
        if self.selection.is_ours() {
            let module = self.files.module.join("libfilch_envoy.so");
            if !module.exists() {
                return Err(format!("there is no {}", module.display()));
            }
        }
        let text = process::output(&self.files.program.to_string_lossy(), "--version")?;
        let version = text
            .split_once("version: ")
            .map_or(&*text, |(_, version)| version);
        Ok(format!(
            "Envoy {}",
            version.lines().next().unwrap_or_default()
        ))
    }

    /// Weights on the client's side come from load reports, which the servers here do not send, so
    /// that all of them weigh the same.
    pub(super) fn model(&self) -> Model {
        let model = match self.selection {
            EnvoySelection::RoundRobin | EnvoySelection::ClientSideWeighted => {
                Model::of("round-robin")
            }
            EnvoySelection::LeastRequest(choices) => Model::of(&format!("jsq:{choices}")),
            EnvoySelection::Random => Model::of("random"),
            EnvoySelection::Filch(policy) | EnvoySelection::FilchAlone(policy) => Model::of(policy),
        };
        Model {
            dispatchers: self.processes,
            ..model
        }
    }

    pub(super) fn start(
        &self,
        servers: &[SocketAddr],
        folder: &Path,
    ) -> io::Result<BalancerProcess> {
        let mut all: Option<BalancerProcess> = None;
        for number in 0..self.processes {
            let one = self.start_one(servers, folder, number)?;
            all = Some(match all {
                Some(all) => all.and(one),
                None => one,
            });
        }
        all.ok_or_else(|| io::Error::other("no processes"))
    }

    fn start_one(
        &self,
        servers: &[SocketAddr],
        folder: &Path,
        number: usize,
    ) -> io::Result<BalancerProcess> {
        let entry = free_port()?;
        let file = folder.join(format!("envoy-{number}.json"));
        fs::write(&file, self.bootstrap(entry, servers).to_string())?;
        let log = fs::File::create(folder.join(format!("envoy-{number}.log")))?;
        let mut command = Command::new(&self.files.program);
        command.arg("--config-path").arg(&file);
        // With hot restarts, an Envoy asks the system to end it together with its parent, by which
        // Linux means the thread that started it: here one that ends after ten idle seconds.
        command.args([
            "--concurrency",
            "1",
            "--disable-hot-restart",
            "--log-level",
            "error",
        ]);
        command.env("ENVOY_DYNAMIC_MODULES_SEARCH_PATH", &self.files.module);
        command.stderr(Stdio::from(log));
        BalancerProcess::start(command, entry)
    }

    fn bootstrap(&self, entry: SocketAddr, servers: &[SocketAddr]) -> Value {
        let endpoints = servers
            .iter()
            .map(|&it| json!({ "endpoint": { "address": address(it) } }));
        let endpoints: Vec<_> = endpoints.collect();
        let mut options = json!({
            "@type": format!("{TYPES}.upstreams.http.v3.HttpProtocolOptions"),
            "explicit_http_config": { "http_protocol_options": {} },
        });
        if self.selection.is_ours() {
            let codec = format!("{TYPES}.filters.http.upstream_codec.v3.UpstreamCodec");
            options["http_filters"] = json!([
                { "name": "filch", "typed_config": {
                    "@type": format!("{TYPES}.filters.http.dynamic_modules.v3.DynamicModuleFilter"),
                    "dynamic_module_config": { "name": "filch_envoy" }, "filter_name": "lease",
                } },
                { "name": "envoy.filters.http.upstream_codec", "typed_config": { "@type": codec } },
            ]);
        }
        let cluster = json!({
            "name": "servers", "type": "STATIC", "connect_timeout": "5s",
            "load_assignment": {
                "cluster_name": "servers", "endpoints": [{ "lb_endpoints": endpoints }],
            },
            "load_balancing_policy": { "policies": [{ "typed_extension_config": self.policy() }] },
            "circuit_breakers": { "thresholds": [{
                "max_connections": 100_000, "max_pending_requests": 100_000,
                "max_requests": 100_000,
            }] },
            "typed_extension_protocol_options": {
                "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": options,
            },
        });
        let router = json!({
            "name": "envoy.filters.http.router",
            "typed_config": { "@type": format!("{TYPES}.filters.http.router.v3.Router") },
        });
        let route = json!({
            "match": { "prefix": "/" }, "route": { "cluster": "servers", "timeout": "120s" },
        });
        let manager = "filters.network.http_connection_manager.v3.HttpConnectionManager";
        let manager = json!({
            "@type": format!("{TYPES}.{manager}"),
            "stat_prefix": "front",
            "generate_request_id": false,
            "route_config": { "virtual_hosts": [
                { "name": "all", "domains": ["*"], "routes": [route] },
            ] },
            "http_filters": [router],
        });
        let filters = json!([{
            "name": "envoy.filters.network.http_connection_manager", "typed_config": manager,
        }]);
        json!({ "static_resources": {
            "listeners": [{
                "address": address(entry), "filter_chains": [{ "filters": filters }],
            }],
            "clusters": [cluster],
        } })
    }

    fn policy(&self) -> Value {
        let kind = |name: &str| format!("{TYPES}.load_balancing_policies.{name}");
        let (name, config) = match self.selection {
            EnvoySelection::RoundRobin => (
                "round_robin",
                json!({ "@type": kind("round_robin.v3.RoundRobin") }),
            ),
            EnvoySelection::LeastRequest(choices) => (
                "least_request",
                json!({ "@type": kind("least_request.v3.LeastRequest"), "choice_count": choices }),
            ),
            EnvoySelection::Random => ("random", json!({ "@type": kind("random.v3.Random") })),
            EnvoySelection::ClientSideWeighted => {
                let name = "client_side_weighted_round_robin";
                let kind = kind(&format!("{name}.v3.ClientSideWeightedRoundRobin"));
                (name, json!({ "@type": kind }))
            }
            EnvoySelection::Filch(policy) | EnvoySelection::FilchAlone(policy) => {
                let tokens = matches!(self.selection, EnvoySelection::Filch(_));
                let options = json!({ "policy": policy, "tokens": tokens });
                let config = json!({
                    "@type": kind("dynamic_modules.v3.DynamicModulesLoadBalancerConfig"),
                    "dynamic_module_config": { "name": "filch_envoy" },
                    "lb_policy_name": "filch",
                    "lb_policy_config": {
                        "@type": "type.googleapis.com/google.protobuf.StringValue",
                        "value": options.to_string(),
                    },
                });
                ("dynamic_modules", config)
            }
        };
        json!({ "name": format!("envoy.load_balancing_policies.{name}"), "typed_config": config })
    }
}

fn address(address: SocketAddr) -> Value {
    json!({ "socket_address": {
        "address": address.ip().to_string(), "port_value": address.port(),
    } })
}
