//! The configuration of the queue.

use std::time::Duration;

use serde::Deserialize;

/// Which requests wait, how many of them, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueConfig {
    /// The cluster whose servers they wait for.
    pub cluster: String,
    /// How many may wait in this process.
    pub room: usize,
    /// For how long a request waits.
    pub patience: Duration,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawQueueConfig {
    cluster: String,
    #[serde(default = "default_room")]
    room: usize,
    #[serde(default = "default_patience")]
    timeout_ms: u64,
}

fn default_room() -> usize {
    1_000
}

fn default_patience() -> u64 {
    10_000
}

impl QueueConfig {
    /// Reads a JSON object.
    ///
    /// # Errors
    ///
    /// One line that says what to write instead.
    pub fn read(text: &str) -> Result<Self, String> {
        let raw: RawQueueConfig = serde_json::from_str(text).map_err(|error| {
            let error = error
                .to_string()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            format!("{error}: write {{\"cluster\": NAME, \"room\": 1000, \"timeout_ms\": 10000}}")
        })?;
        Ok(Self {
            cluster: raw.cluster,
            room: raw.room,
            patience: Duration::from_millis(raw.timeout_ms),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cluster_is_required() {
        let config = QueueConfig::read(r#"{"cluster": "api"}"#).unwrap();
        assert_eq!((config.room, config.patience.as_secs()), (1_000, 10));
        let config = QueueConfig::read(r#"{"cluster": "api", "room": 2, "timeout_ms": 3}"#);
        assert_eq!(config.unwrap().patience, Duration::from_millis(3));
        for wrong in ["", "{}", "api", r#"{"cluster": "api", "rom": 1}"#] {
            let complaint = QueueConfig::read(wrong).unwrap_err();
            assert!(
                complaint.contains("cluster") && !complaint.contains('\n'),
                "{complaint}"
            );
        }
    }
}
