//! Prometheus' text format, version 0.0.4, as far as it is needed.
//!
//! It is written by hand. `prometheus-client` writes OpenMetrics, which has other type lines and
//! another content type. `prometheus` writes this format, but from a registry of its own counters,
//! while most of these values are read from the balancers when a scrape asks for them.

use std::fmt::{self, Write as _};

use super::LatencyHistogram;

/// The page of all metrics.
#[derive(Default)]
pub(super) struct Exposition(String);

/// The kind of a metric.
#[derive(Clone, Copy)]
pub(super) enum MetricKind {
    Counter,
    Gauge,
    Histogram,
}

/// A metric whose values are being written.
pub(super) struct Metric<'a> {
    page: &'a mut String,
    name: &'a str,
}

/// The labels of a value. Their values are names of groups and servers, which the configuration has
/// checked, and words of ours: nothing in them has to be escaped.
pub(super) type Labels<'a> = &'a [(&'static str, &'a str)];

impl Exposition {
    /// Begins a metric.
    pub(super) fn metric<'a>(
        &'a mut self,
        name: &'a str,
        kind: MetricKind,
        help: &str,
    ) -> Metric<'a> {
        let kind = match kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram => "histogram",
        };
        let page = &mut self.0;
        let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Metric { page, name }
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}

impl Metric<'_> {
    /// One value.
    pub(super) fn value(&mut self, labels: Labels<'_>, value: f64) {
        self.line("", labels, None, value);
    }

    /// All lines of a histogram.
    pub(super) fn histogram(&mut self, labels: Labels<'_>, histogram: &LatencyHistogram) {
        let mut count = 0;
        for (bound, below) in histogram.cumulative() {
            self.line("_bucket", labels, Some(bound), below as f64);
            count = below;
        }
        self.line("_sum", labels, None, histogram.sum());
        self.line("_count", labels, None, count as f64);
    }

    fn line(&mut self, suffix: &str, labels: Labels<'_>, bound: Option<f64>, value: f64) {
        let bound = bound.map(|bound| Number(bound).to_string());
        let bound = bound.as_deref().map(|bound| ("le", bound));
        let mut labels = labels.iter().copied().chain(bound).peekable();
        let page = &mut *self.page;
        let _ = write!(page, "{}{suffix}", self.name);
        if labels.peek().is_some() {
            let labels: Vec<_> = labels
                .map(|(name, value)| format!("{name}=\"{value}\""))
                .collect();
            let _ = write!(page, "{{{}}}", labels.join(","));
        }
        let _ = writeln!(page, " {}", Number(value));
    }
}

/// A number as the format writes it.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == f64::INFINITY {
            f.write_str("+Inf")
        } else {
            self.0.fmt(f)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn buckets_include_their_bounds_and_add_up() {
        let histogram = LatencyHistogram::default();
        for milliseconds in [1, 2, 100, 101, 1_000_000] {
            histogram.record(Duration::from_millis(milliseconds));
        }
        let mut page = Exposition::default();
        let mut metric = page.metric("x", MetricKind::Histogram, "Help.");
        metric.histogram(&[("a", "b")], &histogram);
        let text = page.into_text();
        for line in [
            "# HELP x Help.",
            "# TYPE x histogram",
            "x_bucket{a=\"b\",le=\"0.001\"} 1",
            "x_bucket{a=\"b\",le=\"0.002\"} 2",
            "x_bucket{a=\"b\",le=\"0.05\"} 2",
            "x_bucket{a=\"b\",le=\"0.1\"} 3",
            "x_bucket{a=\"b\",le=\"0.2\"} 4",
            "x_bucket{a=\"b\",le=\"100\"} 4",
            "x_bucket{a=\"b\",le=\"+Inf\"} 5",
            "x_sum{a=\"b\"} 1000.204",
            "x_count{a=\"b\"} 5",
        ] {
            assert!(
                text.lines().any(|written| written == line),
                "{line}\n{text}"
            );
        }
    }

    #[test]
    fn values_have_labels_or_none() {
        let mut page = Exposition::default();
        page.metric("x", MetricKind::Counter, "Help.")
            .value(&[], 3.0);
        let labels: Labels<'_> = &[("a", "b"), ("c", "d")];
        let mut metric = page.metric("y", MetricKind::Gauge, "Help.");
        metric.value(labels, 0.5);
        metric.value(labels, f64::INFINITY);
        let text = page.into_text();
        let values: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            values,
            ["x 3", "y{a=\"b\",c=\"d\"} 0.5", "y{a=\"b\",c=\"d\"} +Inf"]
        );
    }
}
