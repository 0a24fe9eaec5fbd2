//! The metrics as Prometheus reads them: its text format, version 0.0.4.

use std::fmt::{Display, Write as _};

use crate::proxy::shared::Shared;
use crate::proxy::view::{GroupView, ServerView, View};

/// All metrics.
pub(crate) fn text(shared: &Shared) -> String {
    let view = View::of(shared);
    let mut page = Page::default();
    whole(shared, &view, &mut page);
    groups(shared, &view, &mut page);
    servers(shared, &view, &mut page);
    page.0
}

#[derive(Default)]
struct Page(String);

impl Page {
    /// Begins a metric.
    fn metric(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// A value of it; the labels are in the form `a="b"`.
    fn value(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = match labels {
            "" => writeln!(self.0, "{name} {value}"),
            _ => writeln!(self.0, "{name}{{{labels}}} {value}"),
        };
    }
}

fn whole(shared: &Shared, view: &View, page: &mut Page) {
    let counts = &shared.counts;
    for (name, kind, help, value) in [
        (
            "filch_requests_in_flight",
            "gauge",
            "Requests being served.",
            view.in_flight as u64,
        ),
        (
            "filch_requests_refused_total",
            "counter",
            "Requests that belong to no group: no route fits, or their header is too large.",
            counts.refused.get(),
        ),
        (
            "filch_forged_tokens_total",
            "counter",
            "Token headers sent by clients, and removed.",
            counts.forged.get(),
        ),
        (
            "filch_access_log_dropped_total",
            "counter",
            "Lines of the access log that could not be written in time.",
            shared.log.dropped.get(),
        ),
        (
            "filch_configuration_stale",
            "gauge",
            "1 if the last reload was refused and an older configuration is at work.",
            u64::from(view.stale),
        ),
    ] {
        page.metric(name, kind, help);
        page.value(name, "", value);
    }
    let reloads = "filch_reloads_total";
    page.metric(reloads, "counter", "Reloads of the configuration.");
    page.value(reloads, "result=\"ok\"", counts.reloads.get());
    page.value(reloads, "result=\"refused\"", counts.bad_reloads.get());
}

fn groups(shared: &Shared, view: &View, page: &mut Page) {
    type Get = fn(&GroupView) -> u64;
    let simple: [(&str, &str, &str, Get); 5] = [
        (
            "filch_queue_length",
            "gauge",
            "Requests that wait for a server.",
            |group| group.waiting as u64,
        ),
        (
            "filch_messages_total",
            "counter",
            "Messages that the decisions of the policy have cost, as the paper counts them.",
            |group| group.messages,
        ),
        (
            "filch_messages_saved_total",
            "counter",
            "Messages that asking every server for its queue would have cost in addition.",
            |group| group.messages_saved,
        ),
        (
            "filch_tokens_received_total",
            "counter",
            "Tokens that servers sent with their answers.",
            |group| group.tokens_received,
        ),
        (
            "filch_tokens_ignored_total",
            "counter",
            "Tokens of servers that are not allowed to send any.",
            |group| group.tokens_ignored,
        ),
    ];
    for (name, kind, help, get) in simple {
        page.metric(name, kind, help);
        for group in &view.groups {
            page.value(name, &label(group), get(group));
        }
    }
    let table = shared.table();
    let counts = || {
        table
            .groups
            .iter()
            .map(|group| (format!("group=\"{}\"", group.said.name), &group.live.counts))
    };
    let requests = "filch_requests_total";
    page.metric(requests, "counter", "Requests that have ended, by status.");
    for (label, counts) in counts() {
        for (status, count) in counts.statuses() {
            page.value(requests, &format!("{label},status=\"{status}\""), count);
        }
    }
    let errors = "filch_errors_total";
    page.metric(
        errors,
        "counter",
        "What went wrong, attempts that were repeated included.",
    );
    for (label, counts) in counts() {
        for (problem, count) in counts.problems() {
            page.value(errors, &format!("{label},kind=\"{problem}\""), count);
        }
    }
    let retries = "filch_retries_total";
    page.metric(retries, "counter", "Attempts after the first.");
    for (label, counts) in counts() {
        page.value(retries, &label, counts.retries.get());
    }
    let latency = "filch_request_seconds";
    page.metric(
        latency,
        "histogram",
        "From the end of a request's header to the end of its answer.",
    );
    for (label, counts) in counts() {
        counts
            .latency
            .write(latency, &format!("{label},"), &mut page.0);
    }
}

fn servers(shared: &Shared, view: &View, page: &mut Page) {
    type Get = fn(&ServerView) -> f64;
    let simple: [(&str, &str, &str, Get); 9] = [
        (
            "filch_server_in_flight",
            "gauge",
            "Requests that the server has from here.",
            |server| f64::from(server.outstanding),
        ),
        (
            "filch_server_token",
            "gauge",
            "1 if the server's token is held, so that it is known to be idle.",
            |server| f64::from(u8::from(server.token)),
        ),
        (
            "filch_server_up",
            "gauge",
            "1 if the server gets requests.",
            |server| f64::from(u8::from(server.up)),
        ),
        (
            "filch_server_speed",
            "gauge",
            "The speed that the policy believes the server to have.",
            |server| server.speed,
        ),
        (
            "filch_server_limit",
            "gauge",
            "How many requests the server may have at once; +Inf if there is no limit.",
            |server| server.limit.map_or(f64::INFINITY, f64::from),
        ),
        (
            "filch_server_served_total",
            "counter",
            "Requests that the server has answered.",
            |server| server.served as f64,
        ),
        (
            "filch_server_failed_total",
            "counter",
            "Requests at which the server has failed.",
            |server| server.failed as f64,
        ),
        (
            "filch_server_checks_passed_total",
            "counter",
            "Health checks that the server has passed.",
            |server| server.checks_passed as f64,
        ),
        (
            "filch_server_checks_failed_total",
            "counter",
            "Health checks that the server has failed.",
            |server| server.checks_failed as f64,
        ),
    ];
    for (name, kind, help, get) in simple {
        page.metric(name, kind, help);
        for group in &view.groups {
            for server in &group.servers {
                let labels = format!("{},server=\"{}\"", label(group), server.name);
                let value = get(server);
                if value.is_infinite() {
                    page.value(name, &labels, "+Inf");
                } else {
                    page.value(name, &labels, value);
                }
            }
        }
    }
    let latency = "filch_server_seconds";
    page.metric(
        latency,
        "histogram",
        "From the choice of the server to the end of its answer.",
    );
    for group in &shared.table().groups {
        for server in &group.servers {
            let labels = format!("group=\"{}\",server=\"{}\",", group.said.name, server.name);
            let latencies = &server.standing.counts.latency;
            latencies.write(latency, &labels, &mut page.0);
        }
    }
}

/// Names of groups and servers were checked: nothing in them has to be escaped.
fn label(group: &GroupView) -> String {
    format!("group=\"{}\"", group.name)
}
