//! The configuration of a balancer: a policy's name, or JSON with options.

use std::path::PathBuf;
use std::time::Duration;

use filch_balance::{Clock, Options, Speeds};
use filch_policy::dispatch::Spec;
use serde::Deserialize;

use crate::abi::clock;

/// How the servers of a cluster are chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Any policy of `filch policies`.
    pub policy: Spec,
    /// Whether servers are believed when they say that they are idle.
    pub tokens: bool,
    /// How many requests a server may have from this process.
    pub limit: Option<u32>,
    /// Where speeds come from.
    pub speeds: Speeds,
    /// After how long without word a server is presumed idle.
    pub presume_idle: Option<Duration>,
    /// Where what was learned is written down, for the process that follows a hot restart.
    pub state: Option<PathBuf>,
}

/// The names of the options, for those who mistype one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConfig {
    policy: Option<String>,
    #[serde(default)]
    tokens: bool,
    limit: Option<u32>,
    speeds: Option<RawSpeeds>,
    presume_idle_ms: Option<u64>,
    state: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawSpeeds {
    Learned,
    Weights,
}

impl Config {
    /// Reads a policy's name, or a JSON object. Nothing at all means the default policy.
    ///
    /// # Errors
    ///
    /// One line that says what to write instead.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if !text.starts_with('{') {
            return Self::of((!text.is_empty()).then_some(text));
        }
        let raw: RawConfig =
            serde_json::from_str(text).map_err(|error| one_line(&error.to_string()))?;
        if raw.limit == Some(0) {
            return Err("the limit is 0: use at least 1, or leave it out".to_owned());
        }
        Ok(Self {
            tokens: raw.tokens,
            limit: raw.limit,
            speeds: match raw.speeds {
                Some(RawSpeeds::Weights) => Speeds::Weights,
                Some(RawSpeeds::Learned) | None => Speeds::Learned,
            },
            presume_idle: match raw.presume_idle_ms {
                Some(0) => None,
                Some(millis) => Some(Duration::from_millis(millis)),
                None => Options::default().presume_idle,
            },
            state: raw.state,
            ..Self::of(raw.policy.as_deref())?
        })
    }

    fn of(policy: Option<&str>) -> Result<Self, String> {
        let defaults = Options::default();
        let policy = match policy {
            Some(name) => name
                .parse()
                .map_err(|error| one_line(&format!("{error}")))?,
            None => defaults.policy,
        };
        Ok(Self {
            policy,
            tokens: false,
            limit: None,
            speeds: Speeds::Learned,
            presume_idle: defaults.presume_idle,
            state: None,
        })
    }

    /// The balancer's part of it.
    pub(crate) fn options(&self) -> Options {
        Options {
            speeds: self.speeds,
            presume_idle: self.presume_idle,
            clock: Clock::read_by(clock::nanos),
            ..Options::of(self.policy)
        }
    }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_enough_and_so_is_nothing() {
        assert_eq!(Config::read("pi").unwrap().policy, "pi".parse().unwrap());
        let default = Config::read(" \n").unwrap();
        assert_eq!(default.policy, Options::default().policy);
        assert_eq!(Config::read("{}").unwrap(), default);
    }

    #[test]
    fn options_are_json() {
        let text = r#"{"policy": "idle(jsq:2)", "tokens": true, "limit": 4, "speeds": "weights",
                       "presume_idle_ms": 0, "state": "/run/filch"}"#;
        let config = Config::read(text).unwrap();
        assert_eq!(config.policy.to_string(), "idle(jsq:2)");
        assert!(config.tokens);
        assert_eq!(config.limit, Some(4));
        assert_eq!(config.speeds, Speeds::Weights);
        assert_eq!(config.presume_idle, None);
        assert_eq!(config.state, Some("/run/filch".into()));
    }

    #[test]
    fn every_complaint_is_one_line() {
        for wrong in [
            "idel(last)",
            "{",
            r#"{"polcy": "pi"}"#,
            r#"{"policy": "jsq:0"}"#,
            r#"{"limit": 0}"#,
            r#"{"speeds": "known"}"#,
        ] {
            let complaint = Config::read(wrong).unwrap_err();
            assert!(
                !complaint.is_empty() && !complaint.contains('\n'),
                "{complaint}"
            );
        }
        let complaint = Config::read("idel(last)").unwrap_err();
        assert!(complaint.contains("idel"), "{complaint}");
    }
}
