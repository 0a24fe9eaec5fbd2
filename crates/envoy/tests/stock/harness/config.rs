use std::net::SocketAddr;
use std::path::PathBuf;

use serde_json::{Value, json};

const TYPES: &str = "type.googleapis.com/envoy";

/// An Envoy with one listener in front of one cluster.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The policy's configuration.
    pub(crate) policy: String,
    /// The servers of each priority, with their weights.
    pub(crate) priorities: Vec<Vec<(SocketAddr, u32)>>,
    /// Whether the filter that ends leases is in the cluster's chain.
    pub(crate) filter: bool,
    /// HTTP/2 towards the servers.
    pub(crate) http2: bool,
    /// The configuration of the queue, if there is one.
    pub(crate) queue: Option<Value>,
    /// How often a failed attempt is made again, elsewhere.
    pub(crate) retries: u32,
    /// What is to be done with requests beside sending them to the cluster.
    pub(crate) route: Value,
    /// The time-out of an attempt in seconds.
    pub(crate) attempt_seconds: f64,
    /// Whether Envoy checks the servers' health.
    pub(crate) health_checks: bool,
    /// The file that the servers are read from, instead of the configuration.
    pub(crate) endpoints: Option<PathBuf>,
    /// The file that the cluster is read from.
    pub(crate) clusters: Option<PathBuf>,
}

impl Config {
    /// A policy in front of servers of weight 1.
    pub(crate) fn new(policy: &str, servers: &[SocketAddr]) -> Self {
        Self {
            policy: policy.to_owned(),
            priorities: vec![servers.iter().map(|&it| (it, 1)).collect()],
            filter: true,
            http2: false,
            queue: None,
            retries: 0,
            route: Value::Null,
            attempt_seconds: 0.0,
            health_checks: false,
            endpoints: None,
            clusters: None,
        }
    }

    /// What Envoy is started with.
    pub(crate) fn bootstrap(&self) -> Value {
        let mut resources = json!({ "listeners": [self.listener()] });
        let mut bootstrap = json!({
            "node": { "id": "test", "cluster": "test" },
            "admin": { "address": address("127.0.0.1:0".parse().unwrap()) },
        });
        match &self.clusters {
            Some(path) => {
                let source = json!({
                    "path_config_source": { "path": path }, "resource_api_version": "V3",
                });
                bootstrap["dynamic_resources"] = json!({ "cds_config": source });
            }
            None => resources["clusters"] = json!([self.cluster()]),
        }
        bootstrap["static_resources"] = resources;
        bootstrap
    }

    /// The file that [`clusters`](Self::clusters) names.
    pub(crate) fn cluster_file(&self) -> Value {
        let mut cluster = self.cluster();
        cluster["@type"] = format!("{TYPES}.config.cluster.v3.Cluster").into();
        json!({ "resources": [cluster] })
    }

    /// The file that [`endpoints`](Self::endpoints) names.
    pub(crate) fn endpoint_file(&self) -> Value {
        let mut assignment = self.assignment();
        let kind = format!("{TYPES}.config.endpoint.v3.ClusterLoadAssignment");
        assignment["@type"] = kind.into();
        json!({ "resources": [assignment] })
    }

    fn listener(&self) -> Value {
        let mut filters = Vec::new();
        if let Some(queue) = &self.queue {
            filters.push(module_filter("queue", Some(&queue.to_string())));
        }
        filters.push(json!({
            "name": "envoy.filters.http.router",
            "typed_config": { "@type": format!("{TYPES}.extensions.filters.http.router.v3.Router") },
        }));
        let mut route = json!({ "cluster": "servers", "timeout": "0s" });
        if self.retries > 0 {
            route["retry_policy"] = json!({
                "retry_on": "connect-failure,reset,reset-before-request,refused-stream",
                "num_retries": self.retries,
                "per_try_timeout": format!("{}s", self.attempt_seconds),
                "host_selection_retry_max_attempts": 5,
                "retry_host_predicate": [{
                    "name": "envoy.retry_host_predicates.previous_hosts",
                    "typed_config": {
                        "@type": format!("{TYPES}.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate"),
                    },
                }],
                "retry_back_off": { "base_interval": "0.001s", "max_interval": "0.01s" },
            });
        }
        if let (Some(route), Some(more)) = (route.as_object_mut(), self.route.as_object()) {
            route.extend(more.clone());
        }
        let manager = json!({
            "@type": format!("{TYPES}.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"),
            "stat_prefix": "ingress",
            "codec_type": "AUTO",
            "route_config": { "validate_clusters": false, "virtual_hosts": [{
                "name": "all", "domains": ["*"],
                "routes": [{ "match": { "prefix": "/" }, "route": route }],
            }] },
            "http_filters": filters,
        });
        json!({
            "name": "front",
            // Otherwise the system may give two Envoys the same port.
            "enable_reuse_port": false,
            "address": address("127.0.0.1:0".parse().unwrap()),
            "filter_chains": [{ "filters": [{
                "name": "envoy.filters.network.http_connection_manager", "typed_config": manager,
            }] }],
        })
    }

    fn cluster(&self) -> Value {
        let protocol = if self.http2 {
            json!({ "http2_protocol_options": {} })
        } else {
            json!({ "http_protocol_options": {} })
        };
        let mut options = json!({
            "@type": format!("{TYPES}.extensions.upstreams.http.v3.HttpProtocolOptions"),
            "explicit_http_config": protocol,
        });
        if self.filter {
            options["http_filters"] = json!([
                module_filter("lease", None),
                {
                    "name": "envoy.filters.http.upstream_codec",
                    "typed_config": {
                        "@type": format!("{TYPES}.extensions.filters.http.upstream_codec.v3.UpstreamCodec"),
                    },
                },
            ]);
        }
        let policy = json!({
            "@type": format!("{TYPES}.extensions.load_balancing_policies.dynamic_modules.v3.DynamicModulesLoadBalancerConfig"),
            "dynamic_module_config": { "name": "filch_envoy" },
            "lb_policy_name": "filch",
            "lb_policy_config": text(&self.policy),
        });
        let mut cluster = json!({
            "name": "servers",
            "connect_timeout": "2s",
            "load_balancing_policy": { "policies": [{ "typed_extension_config": {
                "name": "envoy.load_balancing_policies.dynamic_modules", "typed_config": policy,
            } }] },
            "circuit_breakers": { "thresholds": [{
                "max_connections": 10000, "max_pending_requests": 10000, "max_requests": 10000,
                "max_retries": 10000,
            }] },
            "typed_extension_protocol_options": {
                "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": options,
            },
        });
        match &self.endpoints {
            Some(path) => {
                cluster["type"] = "EDS".into();
                cluster["eds_cluster_config"] = json!({ "eds_config": {
                    "path_config_source": { "path": path }, "resource_api_version": "V3",
                } });
            }
            None => {
                cluster["type"] = "STATIC".into();
                cluster["load_assignment"] = self.assignment();
            }
        }
        if self.health_checks {
            cluster["health_checks"] = json!([{
                "timeout": "1s", "interval": "0.1s", "unhealthy_threshold": 1,
                "healthy_threshold": 1, "no_traffic_interval": "0.1s",
                "http_health_check": { "path": "/health" },
            }]);
        }
        cluster
    }

    fn assignment(&self) -> Value {
        let priorities = self.priorities.iter().enumerate().map(|(priority, servers)| {
            let endpoints = servers.iter().map(|&(server, weight)| {
                json!({ "endpoint": { "address": address(server) }, "load_balancing_weight": weight })
            });
            json!({ "priority": priority, "lb_endpoints": endpoints.collect::<Vec<_>>() })
        });
        json!({ "cluster_name": "servers", "endpoints": priorities.collect::<Vec<_>>() })
    }
}

fn address(address: SocketAddr) -> Value {
    json!({ "socket_address": {
        "address": address.ip().to_string(), "port_value": address.port(),
    } })
}

fn text(value: &str) -> Value {
    json!({ "@type": "type.googleapis.com/google.protobuf.StringValue", "value": value })
}

fn module_filter(name: &str, config: Option<&str>) -> Value {
    let mut filter = json!({
        "@type": format!("{TYPES}.extensions.filters.http.dynamic_modules.v3.DynamicModuleFilter"),
        "dynamic_module_config": { "name": "filch_envoy" },
        "filter_name": name,
    });
    if let Some(config) = config {
        filter["filter_config"] = text(config);
    }
    json!({ "name": format!("filch-{name}"), "typed_config": filter })
}
