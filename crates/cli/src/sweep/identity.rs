//! What two journals must share to be of one sweep.

use std::fmt::Write as _;

use filch_experiments::sweep::{Plan, Shard};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::build_number::build_number;

/// The head of a journal: which part of which sweep it is, and what made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    /// The version of filch.
    pub(super) version: String,
    /// The number of the build.
    pub(super) build: u64,
    /// The plan in its canonical form.
    pub(super) plan: String,
    /// The shard, `K/N`.
    shard: String,
}

impl Identity {
    pub(super) fn of(plan: &Plan, shard: Shard) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: build_number(),
            plan: plan.canonical(),
            shard: shard.to_string(),
        }
    }

    /// The shard, if that is what it says.
    pub(super) fn shard(&self) -> Option<Shard> {
        self.shard.parse().ok()
    }

    /// The SHA-256 of the plan's canonical form.
    pub(super) fn plan_hash(&self) -> String {
        let mut text = String::new();
        for byte in Sha256::digest(self.plan.as_bytes()) {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// How `self` is of another sweep than `expected`, whatever the shards; `None` if it is not.
    pub(super) fn differs(&self, expected: &Self) -> Option<String> {
        let short = |identity: &Self| identity.plan_hash()[..12].to_owned();
        let (here, there) = (short(self), short(expected));
        if self.plan != expected.plan {
            Some(format!("is of another plan ({here}, and not {there})"))
        } else if self.version != expected.version {
            let (here, there) = (&self.version, &expected.version);
            Some(format!("was made by filch {here}, and not by {there}"))
        } else if self.build != expected.build {
            Some("was made by another build of filch".to_owned())
        } else {
            None
        }
    }
}
