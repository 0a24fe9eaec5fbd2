//! The dashboard for Grafana, deploy/grafana/filch-proxy.json, asks for what the proxy exports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::harness::{Behaviour, Proxy, Server, get};

/// What the queries are made of, besides metrics and labels.
const WORDS: [&str; 11] = [
    "avg",
    "by",
    "count",
    "histogram_quantile",
    "increase",
    "label_values",
    "min",
    "or",
    "rate",
    "sum",
    "vector",
];

/// A label that Prometheus adds to each metric.
const INSTANCE: &str = "instance";

/// The labels of each metric, with their values.
type Exported = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// What the text of the metrics has.
fn exported(text: &str) -> Exported {
    let mut exported = Exported::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (series, _) = line.rsplit_once(' ').unwrap();
        let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
        let known = exported.entry(name.to_owned()).or_default();
        let labels = labels.trim_end_matches('}').split_terminator(',');
        for (label, value) in labels.map(|label| label.split_once('=').unwrap()) {
            let values = known.entry(label.to_owned()).or_default();
            values.insert(value.trim_matches('"').to_owned());
        }
    }
    exported
}

/// A query in its parts.
#[derive(Debug, Default)]
struct Query<'a> {
    /// The metrics, each with the labels that are asked for.
    metrics: Vec<(&'a str, Vec<(&'a str, &'a str)>)>,
    /// The labels that are left, and the one that values are asked of.
    left: Vec<&'a str>,
}

impl<'a> Query<'a> {
    fn of(mut text: &'a str) -> Self {
        let mut query = Self::default();
        if let Some(rest) = text.strip_prefix("label_values(") {
            let (metric, label) = rest.trim_end_matches(')').rsplit_once(", ").unwrap();
            query.left.push(label);
            text = metric;
        }
        while let Some(first) = text.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
            match first {
                '[' => text = text.split_once(']').unwrap().1,
                c if c.is_ascii_digit() || !is_word(c) => text = &text[end.max(1)..],
                _ => {
                    let (word, rest) = text.split_at(end);
                    text = query.word(word, rest);
                }
            }
        }
        query
    }

    /// Takes a word of the query. Returns what is left after it.
    fn word(&mut self, word: &'a str, rest: &'a str) -> &'a str {
        if word == "by" {
            let (labels, rest) = rest.strip_prefix(" (").unwrap().split_once(')').unwrap();
            self.left.extend(labels.split(", "));
            return rest;
        }
        if WORDS.contains(&word) {
            return rest;
        }
        let mut wanted = Vec::new();
        let mut after = rest;
        if let Some(inside) = rest.strip_prefix('{') {
            let (labels, rest) = inside.split_once('}').unwrap();
            wanted.extend(labels.split(", ").map(|label| {
                let (name, value) = label.split_once('=').unwrap();
                (name, value.trim_start_matches('~').trim_matches('"'))
            }));
            after = rest;
        }
        self.metrics.push((word, wanted));
        after
    }

    /// What it asks for and nothing exports.
    fn unknown(&self, exported: &Exported) -> Vec<String> {
        let mut unknown = Vec::new();
        for (metric, wanted) in &self.metrics {
            let Some(labels) = exported.get(*metric) else {
                unknown.push((*metric).to_owned());
                continue;
            };
            for (label, value) in wanted.iter().filter(|(label, _)| *label != INSTANCE) {
                let values = labels.get(*label);
                let is_known = |one: &str| values.is_some_and(|values| values.contains(one));
                let is_variable = value.starts_with('$') && values.is_some();
                if !is_variable && !value.split('|').all(is_known) {
                    unknown.push(format!("{metric}: {label}={value}"));
                }
            }
            for label in self.left.iter().filter(|label| **label != INSTANCE) {
                if !labels.contains_key(*label) {
                    unknown.push(format!("{metric}: {label}"));
                }
            }
        }
        unknown
    }
}

/// All values of this key, wherever they are.
fn values<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if name == key {
                    found.push(value);
                }
                values(value, key, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| values(item, key, found)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_query_names_what_is_exported() {
    let server = Server::start(Behaviour::GOOD).await;
    let proxy = Proxy::before(&[&server], "").await;
    assert_eq!(proxy.get("/").await.expect("an answer").status, 200);
    let exported = exported(get(proxy.admin, "/metrics").await.unwrap().text());
    proxy.finish().await;

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/grafana/filch-proxy.json");
    let dashboard: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let (mut targets, mut variables) = (Vec::new(), Vec::new());
    values(&dashboard, "targets", &mut targets);
    values(&dashboard, "definition", &mut variables);
    let targets: Vec<_> = targets
        .iter()
        .flat_map(|it| it.as_array().unwrap())
        .collect();
    assert!(targets.len() > 30 && variables.len() == 2);
    let queries = targets
        .iter()
        .map(|target| target["expr"].as_str().unwrap());
    let variables = variables.iter().map(|variable| variable.as_str().unwrap());
    let mut asked = BTreeSet::new();
    for text in queries.chain(variables) {
        let query = Query::of(text);
        assert!(!query.metrics.is_empty(), "{text}");
        assert_eq!(query.unknown(&exported), [""; 0], "{text}");
        asked.extend(query.metrics.iter().map(|(metric, _)| *metric));
    }
    // Legends show labels that the query leaves.
    for target in &targets {
        let left = Query::of(target["expr"].as_str().unwrap()).left;
        let legend = target["legendFormat"].as_str().unwrap();
        for part in legend.split("{{").skip(1) {
            let label = part.split("}}").next().unwrap();
            assert!(left.contains(&label), "{legend}");
        }
    }
    for metric in [
        "filch_request_seconds_bucket",
        "filch_retries_total",
        "filch_queue_length",
    ] {
        assert!(asked.contains(metric), "{metric}");
    }
}

/// What the other test would find.
#[test]
fn wrong_queries_are_found() {
    let text = "a_total{group=\"all\",status=\"2xx\"} 1\nb_bucket{group=\"all\",le=\"1\"} 2\nc 3\n";
    let exported = exported(text);
    for (query, expected) in [
        (
            "sum by (group) (rate(a_total{instance=~\"$i\", group=~\"$g\"}[$x]))",
            &[][..],
        ),
        (
            "histogram_quantile(0.99, sum by (le) (rate(b_bucket[1m])))",
            &[],
        ),
        ("sum(c) or vector(0)", &[]),
        ("label_values(a_total{instance=~\"$i\"}, group)", &[]),
        (
            "sum(rate(a_total{status=~\"2xx|9xx\"}[1m]))",
            &["a_total: status=2xx|9xx"],
        ),
        ("sum by (server) (a_total)", &["a_total: server"]),
        ("sum(a_total{server=~\"$s\"})", &["a_total: server=$s"]),
        ("rate(b_total[1m]) / c", &["b_total"]),
        ("label_values(c, group)", &["c: group"]),
    ] {
        assert_eq!(Query::of(query).unknown(&exported), expected, "{query}");
    }
}
