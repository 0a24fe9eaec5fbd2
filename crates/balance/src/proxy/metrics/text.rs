//! The metrics, one after the other.

use super::GroupCounts;
use super::exposition::{Exposition, MetricKind};
use crate::proxy::active_config::ActiveConfig;
use crate::proxy::group::Group;
use crate::proxy::proxy_state::ProxyState;
use crate::proxy::snapshot::{GroupSnapshot, ServerSnapshot, Snapshot};

/// All metrics, in Prometheus' text format.
pub(crate) fn text(proxy: &ProxyState) -> String {
    let (snapshot, active) = (Snapshot::of(proxy), proxy.active());
    let mut page = Exposition::default();
    of_proxy(proxy, &snapshot, &mut page);
    of_groups(&snapshot, &mut page);
    counts_of_groups(&active, &mut page);
    of_servers(&snapshot, &mut page);
    latencies_of_servers(&active, &mut page);
    page.into_text()
}

fn of_proxy(proxy: &ProxyState, snapshot: &Snapshot, page: &mut Exposition) {
    let counts = &proxy.counts;
    for (name, kind, help, value) in [
        (
            "filch_requests_in_flight",
            MetricKind::Gauge,
            "Requests being served.",
            snapshot.in_flight as u64,
        ),
        (
            "filch_connections",
            MetricKind::Gauge,
            "Connections of clients that are open.",
            snapshot.connections as u64,
        ),
        (
            "filch_requests_refused_total",
            MetricKind::Counter,
            "Requests that belong to no group: no route fits, or a limit on clients is exceeded.",
            counts.refused.get(),
        ),
        (
            "filch_forged_tokens_total",
            MetricKind::Counter,
            "Token headers sent by clients, and removed.",
            counts.forged.get(),
        ),
        (
            "filch_access_log_dropped_total",
            MetricKind::Counter,
            "Lines of the access log that could not be written in time.",
            proxy.log.dropped.get(),
        ),
        (
            "filch_configuration_stale",
            MetricKind::Gauge,
            "1 if the last reload was refused and an older configuration is in use.",
            u64::from(snapshot.stale),
        ),
    ] {
        page.metric(name, kind, help).value(&[], value as f64);
    }
    let help = "Reloads of the configuration.";
    let mut reloads = page.metric("filch_reloads_total", MetricKind::Counter, help);
    reloads.value(&[("result", "ok")], counts.reloads.get() as f64);
    reloads.value(&[("result", "refused")], counts.bad_reloads.get() as f64);
    let name = "filch_tls_handshakes_failed_total";
    let help = "TLS handshakes with clients that have failed.";
    let mut handshakes = page.metric(name, MetricKind::Counter, help);
    for (reason, count) in counts.failed_handshakes() {
        handshakes.value(&[("reason", reason)], count as f64);
    }
}

fn of_groups(snapshot: &Snapshot, page: &mut Exposition) {
    type Get = fn(&GroupSnapshot) -> u64;
    let metrics: [(&str, MetricKind, &str, Get); 5] = [
        (
            "filch_queue_length",
            MetricKind::Gauge,
            "Requests that wait for a server.",
            |group| group.waiting as u64,
        ),
        (
            "filch_messages_total",
            MetricKind::Counter,
            "Messages that the policy's decisions have cost, as the paper on PI counts them.",
            |group| group.messages,
        ),
        (
            "filch_messages_saved_total",
            MetricKind::Counter,
            "Messages that asking every server for its queue would have cost in addition.",
            |group| group.messages_saved,
        ),
        (
            "filch_tokens_received_total",
            MetricKind::Counter,
            "Tokens that servers sent with their answers.",
            |group| group.tokens_received,
        ),
        (
            "filch_tokens_ignored_total",
            MetricKind::Counter,
            "Tokens of servers whose tokens are not believed.",
            |group| group.tokens_ignored,
        ),
    ];
    for (name, kind, help, get) in metrics {
        let mut metric = page.metric(name, kind, help);
        for group in &snapshot.groups {
            metric.value(&[("group", &group.name)], get(group) as f64);
        }
    }
}

fn counts_of_groups(active: &ActiveConfig, page: &mut Exposition) {
    let groups = || active.groups.iter().map(|group| named_counts(group));
    let help = "Requests that have ended, by status.";
    let mut requests = page.metric("filch_requests_total", MetricKind::Counter, help);
    for (group, counts) in groups() {
        for (status, count) in counts.statuses() {
            requests.value(&[("group", group), ("status", status)], count as f64);
        }
    }
    let help = "Problems, those of attempts that were repeated included.";
    let mut errors = page.metric("filch_errors_total", MetricKind::Counter, help);
    for (group, counts) in groups() {
        for (kind, count) in counts.problems() {
            errors.value(&[("group", group), ("kind", kind)], count as f64);
        }
    }
    let help = "Attempts after the first.";
    let mut retries = page.metric("filch_retries_total", MetricKind::Counter, help);
    for (group, counts) in groups() {
        retries.value(&[("group", group)], counts.retries.get() as f64);
    }
    let help = "From the end of a request's header to the end of its answer.";
    let mut latency = page.metric("filch_request_seconds", MetricKind::Histogram, help);
    for (group, counts) in groups() {
        latency.histogram(&[("group", group)], &counts.latency);
    }
}

fn named_counts(group: &Group) -> (&str, &GroupCounts) {
    (&group.config.name, &group.state.counts)
}

fn of_servers(snapshot: &Snapshot, page: &mut Exposition) {
    type Get = fn(&ServerSnapshot) -> f64;
    let metrics: [(&str, MetricKind, &str, Get); 11] = [
        (
            "filch_server_in_flight",
            MetricKind::Gauge,
            "Requests that the server has from here.",
            |server| f64::from(server.outstanding),
        ),
        (
            "filch_server_token",
            MetricKind::Gauge,
            "1 if the server's token is held, so that it is known to be idle.",
            |server| f64::from(u8::from(server.token)),
        ),
        (
            "filch_server_up",
            MetricKind::Gauge,
            "1 if the server gets requests.",
            |server| f64::from(u8::from(server.up)),
        ),
        (
            "filch_server_speed",
            MetricKind::Gauge,
            "The server's speed as the policy sees it.",
            |server| server.speed,
        ),
        (
            "filch_server_drained",
            MetricKind::Gauge,
            "1 if an operator has drained the server.",
            |server| f64::from(u8::from(server.drained)),
        ),
        (
            "filch_server_trust",
            MetricKind::Gauge,
            "The share of its requests that the server gets; below 1 if it fails more than others.",
            |server| server.trust,
        ),
        (
            "filch_server_limit",
            MetricKind::Gauge,
            "How many requests the server may have at once; +Inf if there is no limit.",
            |server| server.limit.map_or(f64::INFINITY, f64::from),
        ),
        (
            "filch_server_served_total",
            MetricKind::Counter,
            "Requests that the server has answered.",
            |server| server.served as f64,
        ),
        (
            "filch_server_failed_total",
            MetricKind::Counter,
            "Requests that failed on the server.",
            |server| server.failed as f64,
        ),
        (
            "filch_server_checks_passed_total",
            MetricKind::Counter,
            "Health checks that the server has passed.",
            |server| server.checks_passed as f64,
        ),
        (
            "filch_server_checks_failed_total",
            MetricKind::Counter,
            "Health checks that the server has failed.",
            |server| server.checks_failed as f64,
        ),
    ];
    for (name, kind, help, get) in metrics {
        let mut metric = page.metric(name, kind, help);
        for group in &snapshot.groups {
            for server in &group.servers {
                let labels = [("group", &*group.name), ("server", &*server.name)];
                metric.value(&labels, get(server));
            }
        }
    }
}

fn latencies_of_servers(active: &ActiveConfig, page: &mut Exposition) {
    let help = "From the choice of the server to the end of its answer.";
    let mut latency = page.metric("filch_server_seconds", MetricKind::Histogram, help);
    for group in &active.groups {
        for server in &group.servers {
            let labels = [("group", &*group.config.name), ("server", &*server.name)];
            latency.histogram(&labels, &server.health.counts.latency);
        }
    }
}
