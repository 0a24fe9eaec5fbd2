//! What was found of one part.

use serde::Serialize;

use super::parts::Part;

/// A part, and whether it is there.
#[derive(Serialize)]
pub(super) struct Finding {
    pub(super) name: &'static str,
    pub(super) found: bool,
    /// What it says of itself, or where it is. Nothing if it is not there, or tells nothing.
    pub(super) version: Option<String>,
    pub(super) purpose: &'static str,
    /// How to get it.
    pub(super) remedy: &'static str,
}

impl Finding {
    pub(super) fn of(part: &Part) -> Self {
        let seen = (part.probe)();
        Self {
            name: part.name,
            found: seen.is_some(),
            version: seen.filter(|version| !version.is_empty()),
            purpose: part.purpose,
            remedy: part.remedy,
        }
    }
}
