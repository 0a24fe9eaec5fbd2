//! What a site is called.

use filch_profile::{Frame, Kind, Profile, Site, SiteId};

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
    match user_frame(site) {
        Some(frame) => match &frame.place {
            Some((file, line)) => {
                format!("{} ({}:{line})", plain(&frame.function), in_package(file))
            }
            None => plain(&frame.function),
        },
        None if site.closure.is_empty() => "unknown".to_owned(),
        None => of_type(&site.closure),
    }
}

fn user_frame(site: &Site) -> Option<&Frame> {
    site.user.and_then(|user| site.frames.get(user))
}

/// Whether the line of a site in the user's code is known. The standard library's are always there.
pub fn has_line(site: &Site) -> bool {
    user_frame(site).is_some_and(|frame| frame.place.is_some())
}

/// Whether the function of a site in the user's code is known: not if the program was stripped.
pub fn has_function(site: &Site) -> bool {
    user_frame(site).is_some()
}

/// What the type of a closure says of its place: the first path in it that is neither Rust's nor
/// rayon's nor ours, and otherwise the type itself.
fn of_type(closure: &str) -> String {
    const LIBRARIES: [&str; 6] = ["alloc", "core", "filch", "rayon", "rayon_core", "std"];
    let is_in_path = |c: char| c.is_alphanumeric() || "_:{}#".contains(c);
    let mut paths = closure.split(|c| !is_in_path(c));
    let of_user = paths.find(|path| {
        let module = path.split_once("::");
        module.is_some_and(|(name, _)| !name.is_empty() && !LIBRARIES.contains(&name))
    });
    of_user.map_or_else(|| plain(closure), plain)
}

/// A function's name without its generic arguments, which can be longer than a page. Those at the
/// beginning stay: `<T as Trait>::call`.
fn plain(function: &str) -> String {
    let mut name = String::with_capacity(function.len());
    let mut depth = 0usize;
    let mut before = ' ';
    for character in function.chars() {
        match character {
            '<' if !name.is_empty() => depth += 1,
            // The arrow of a function's type ends nothing.
            '>' if depth > 0 && before != '-' => depth -= 1,
            _ if depth == 0 => name.push(character),
            _ => {}
        }
        before = character;
    }
    // Turbofish: the colons before the arguments go too.
    name.replace("::::", "::").trim_end_matches("::").to_owned()
}

/// A file of a package from a registry by its package, without where the registry is.
fn in_package(file: &str) -> &str {
    let package = file
        .split_once("/registry/src/")
        .and_then(|(_, rest)| rest.split_once('/'));
    package.map_or(file, |(_, file)| file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_arguments_are_left_out() {
        for (function, name) in [
            ("main", "main"),
            ("get_all_files<&str>", "get_all_files"),
            (
                "a::call<fn(u8) -> Vec<u8>>::{closure#0}",
                "a::call::{closure#0}",
            ),
            ("a::call::<u8>::inner::<T>", "a::call::inner"),
            ("<T as Trait>::call", "<T as Trait>::call"),
        ] {
            assert_eq!(plain(function), name);
        }
    }

    #[test]
    fn a_closure_has_the_name_of_the_user() {
        for (closure, name) in [
            (
                "(rayon_core::join::join_context<rayon::iter::Map<u8, app::sum::{{closure}}>>, ())",
                "app::sum::{{closure}}",
            ),
            (
                "<filch::scope::Scope as core::ops::Drop>::{{closure}}",
                "<filch::scope::Scope as core::ops::Drop>::{{closure}}",
            ),
            (
                "rayon::iter::sum<u64>::{{closure}}",
                "rayon::iter::sum::{{closure}}",
            ),
        ] {
            assert_eq!(of_type(closure), name);
        }
    }

    #[test]
    fn files_of_a_registry_begin_with_their_package() {
        let file = "/home/x/.cargo/registry/src/index-1/rayon-1.12.0/src/vec.rs";
        assert_eq!(in_package(file), "rayon-1.12.0/src/vec.rs");
        assert_eq!(in_package("./src/main.rs"), "./src/main.rs");
    }
}
