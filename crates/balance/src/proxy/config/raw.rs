//! The file as it is typed, before anything is checked.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

type Text = Option<Spanned<String>>;
type Whole = Option<Spanned<i64>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawConfig {
    pub(super) threads: Whole,
    pub(super) watch: Option<bool>,
    pub(super) upgrade: Text,
    pub(super) grace: Text,
    pub(super) linger: Text,
    pub(super) access_log: Text,
    pub(super) request_id: Option<RawRequestIds>,
    pub(super) listeners: Spanned<Vec<RawListener>>,
    pub(super) admin: Option<RawAdmin>,
    pub(super) metrics: Option<RawAddress>,
    pub(super) client: Option<RawClient>,
    pub(super) groups: Spanned<Vec<RawGroup>>,
    pub(super) routes: Option<Spanned<Vec<RawRoute>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRequestIds {
    pub(super) name: Text,
    pub(super) answer: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAddress {
    pub(super) address: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAdmin {
    pub(super) address: Spanned<String>,
    pub(super) token_file: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawListener {
    pub(super) address: Spanned<String>,
    pub(super) mode: Text,
    pub(super) http2: Option<Spanned<bool>>,
    pub(super) tls: Option<Spanned<RawListenerTls>>,
    pub(super) proxy_protocol: Option<RawProxyProtocol>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawProxyProtocol {
    pub(super) from: Spanned<Vec<Spanned<String>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawListenerTls {
    pub(super) certificate: Text,
    pub(super) key: Text,
    pub(super) certificates: Option<Spanned<Vec<Spanned<RawCertificate>>>>,
    pub(super) clients: Option<Spanned<RawClients>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCertificate {
    pub(super) certificate: Text,
    pub(super) key: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawClients {
    pub(super) ca: Text,
    pub(super) certificate: Text,
    pub(super) forward: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawClient {
    pub(super) header_bytes: Whole,
    pub(super) headers: Whole,
    pub(super) body_bytes: Whole,
    pub(super) connections: Whole,
    pub(super) connections_each: Whole,
    pub(super) header: Text,
    pub(super) idle: Text,
    pub(super) read: Text,
    pub(super) write: Text,
    pub(super) forwarded: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawGroup {
    pub(super) name: Spanned<String>,
    pub(super) policy: Text,
    pub(super) speeds: Text,
    pub(super) retries: Whole,
    pub(super) protocol: Text,
    pub(super) host: Text,
    pub(super) tls: Option<RawUpstreamTls>,
    pub(super) timeouts: Option<RawTimeouts>,
    pub(super) queue: Option<RawQueue>,
    pub(super) resolve: Text,
    pub(super) sticky: Option<RawSticky>,
    pub(super) health: Option<RawHealth>,
    pub(super) failures: Option<RawFailures>,
    pub(super) servers: Spanned<Vec<RawServer>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSticky {
    pub(super) by: Spanned<String>,
    pub(super) name: Text,
    pub(super) servers: Whole,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawUpstreamTls {
    pub(super) name: Spanned<String>,
    pub(super) ca: Text,
    pub(super) verify: Option<bool>,
    pub(super) certificate: Text,
    pub(super) key: Text,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTimeouts {
    pub(super) connect: Text,
    pub(super) read: Text,
    pub(super) write: Text,
    pub(super) total: Text,
    pub(super) idle: Text,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawQueue {
    pub(super) length: Whole,
    pub(super) wait: Text,
    pub(super) retry_after: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawHealth {
    pub(super) path: Spanned<String>,
    pub(super) host: Text,
    pub(super) interval: Text,
    pub(super) timeout: Text,
    pub(super) healthy: Whole,
    pub(super) unhealthy: Whole,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFailures {
    pub(super) statuses: Option<Vec<Spanned<String>>>,
    pub(super) consecutive: Whole,
    pub(super) pause: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawServer {
    pub(super) address: Spanned<String>,
    pub(super) weight: Option<Spanned<f64>>,
    pub(super) limit: Whole,
    pub(super) tokens: Option<bool>,
    pub(super) backup: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRoute {
    pub(super) host: Text,
    pub(super) path: Text,
    pub(super) methods: Option<Spanned<Vec<Spanned<String>>>>,
    pub(super) headers: Option<BTreeMap<Spanned<String>, Spanned<String>>>,
    pub(super) group: Spanned<String>,
}
