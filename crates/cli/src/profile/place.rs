//! What a site is called.

use filch_profile::{Kind, Profile, Site, SiteId};

/// What is called at a site.
pub(super) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Join => "join",
        Kind::Scope => "scope",
        Kind::Spawn => "spawn",
        Kind::Broadcast => "broadcast",
        Kind::Install => "entry",
    }
}

/// The place in the user's code, or what is known of it.
pub(super) fn place(profile: &Profile, site: SiteId) -> String {
    let site = &profile.sites[site.0 as usize];
    let frame = site.user.and_then(|user| site.frames.get(user));
    match frame.or(site.frames.first()) {
        Some(frame) => match &frame.place {
            Some((file, line)) => format!("{} ({file}:{line})", frame.function),
            None => frame.function.clone(),
        },
        None if site.closure.is_empty() => "unknown".to_owned(),
        None => site.closure.clone(),
    }
}

/// Whether the file and line of a site are known.
pub(super) fn has_line(site: &Site) -> bool {
    site.frames.iter().any(|frame| frame.place.is_some())
}
