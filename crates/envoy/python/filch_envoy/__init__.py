"""Where the module is, and a configuration to start from."""

from pathlib import Path

#: The folder of ``libfilch_envoy.so``, for ``ENVOY_DYNAMIC_MODULES_SEARCH_PATH``.
FOLDER = Path(__file__).resolve().parent

_TYPES = "type.googleapis.com/envoy.extensions"


def policy(config="idle-fastest(sed)"):
    """The ``load_balancing_policy`` of a cluster."""
    return {
        "policies": [
            {
                "typed_extension_config": {
                    "name": "envoy.load_balancing_policies.dynamic_modules",
                    "typed_config": {
                        "@type": f"{_TYPES}.load_balancing_policies.dynamic_modules.v3."
                        "DynamicModulesLoadBalancerConfig",
                        "dynamic_module_config": {"name": "filch_envoy"},
                        "lb_policy_name": "filch",
                        "lb_policy_config": {
                            "@type": "type.googleapis.com/google.protobuf.StringValue",
                            "value": config,
                        },
                    },
                }
            }
        ]
    }


def protocol_options(http2=False):
    """The ``typed_extension_protocol_options`` of a cluster, with the filter that ends leases."""
    protocol = "http2_protocol_options" if http2 else "http_protocol_options"
    name = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
    return {
        name: {
            "@type": f"{_TYPES}.upstreams.http.v3.HttpProtocolOptions",
            "explicit_http_config": {protocol: {}},
            "http_filters": [
                {
                    "name": "filch",
                    "typed_config": {
                        "@type": f"{_TYPES}.filters.http.dynamic_modules.v3.DynamicModuleFilter",
                        "dynamic_module_config": {"name": "filch_envoy"},
                        "filter_name": "lease",
                    },
                },
                {
                    "name": "envoy.filters.http.upstream_codec",
                    "typed_config": {
                        "@type": f"{_TYPES}.filters.http.upstream_codec.v3.UpstreamCodec"
                    },
                },
            ],
        }
    }


def _address(host, port):
    return {"socket_address": {"address": host, "port_value": port}}


def bootstrap(listen, servers, config="idle-fastest(sed)", admin=None):
    """An Envoy that listens on ``listen`` in front of ``servers``, pairs of host and port.

    With ``config=None``, the policy is Envoy's own LEAST_REQUEST.
    """
    endpoints = [{"endpoint": {"address": _address(*server)}} for server in servers]
    cluster = {
        "name": "servers",
        "type": "STATIC",
        "connect_timeout": "2s",
        "load_assignment": {
            "cluster_name": "servers",
            "endpoints": [{"lb_endpoints": endpoints}],
        },
    }
    if config is None:
        cluster["lb_policy"] = "LEAST_REQUEST"
    else:
        cluster["load_balancing_policy"] = policy(config)
        cluster["typed_extension_protocol_options"] = protocol_options()
    manager = {
        "@type": f"{_TYPES}.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "front",
        "route_config": {
            "virtual_hosts": [
                {
                    "name": "all",
                    "domains": ["*"],
                    "routes": [{"match": {"prefix": "/"}, "route": {"cluster": "servers"}}],
                }
            ]
        },
        "http_filters": [
            {
                "name": "envoy.filters.http.router",
                "typed_config": {"@type": f"{_TYPES}.filters.http.router.v3.Router"},
            }
        ],
    }
    listener = {
        "address": _address(*listen),
        "filter_chains": [
            {
                "filters": [
                    {
                        "name": "envoy.filters.network.http_connection_manager",
                        "typed_config": manager,
                    }
                ]
            }
        ],
    }
    result = {"static_resources": {"listeners": [listener], "clusters": [cluster]}}
    if admin:
        result["admin"] = {"address": _address(*admin)}
    return result
