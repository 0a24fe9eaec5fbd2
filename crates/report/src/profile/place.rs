//! What a site is called.

use filch_profile::{Kind, Profile, Site, SiteId};

/// What is called at a site.
pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Join => "join",
        Kind::Scope => "scope",
        Kind::Spawn => "spawn",
        Kind::Broadcast => "broadcast",
        Kind::Install => "entry",
    }
}

/// The place in the user's code, or what is known of it.
pub fn place(profile: &Profile, site: SiteId) -> String {
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

/// Whether the line of a site in the user's code is known. The standard library's are always there.
pub fn has_line(site: &Site) -> bool {
    let frame = site.user.and_then(|user| site.frames.get(user));
    frame.is_some_and(|frame| frame.place.is_some())
}
