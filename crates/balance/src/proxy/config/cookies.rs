//! Cookies of several groups must not replace one another.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use super::group::GroupConfig;
use super::raw::RawGroup;
use super::route::{Host, Route};
use super::source::{ConfigError, Source};
use super::sticky::Sticky;

/// Refuses two groups that set a cookie of the same name at the same host.
///
/// The client keeps one of the two, so a session would lose its server whenever it goes to the
/// other group. Groups of the same servers may share a cookie: it names a server, which is in both.
pub(super) fn refuse_shared(
    source: &Source<'_>,
    raw: &[RawGroup],
    groups: &[GroupConfig],
    routes: &[Route],
) -> Result<(), ConfigError> {
    for route in routes {
        let reached = reached(&route.host, routes);
        for &second in &reached {
            let mut others = reached.range(..second);
            let first = others.find(|&&first| clash(&groups[first], &groups[second]));
            let (Some(&first), Some(sticky)) = (first, &raw[second].sticky) else {
                continue;
            };
            let problem = format!(
                "the groups '{}' and '{}' have the same cookie at the same host, and each would \
                 replace the other's: give one of the cookies another name",
                groups[first].name, groups[second].name
            );
            let at = sticky.by.span().start;
            return Err(source.refuse(at, "groups.sticky.name", problem));
        }
    }
    Ok(())
}

/// The groups that requests for such a host may go to.
fn reached(host: &Host, routes: &[Route]) -> BTreeSet<usize> {
    let mut fitting: Vec<&Route> = routes.iter().filter(|it| covers(&it.host, host)).collect();
    fitting.sort_by_key(|route| Reverse(specificity(&route.host)));
    // Routes with a less specific host get what these leave over.
    let takes_all =
        |route: &&Route| route.path == "/" && route.methods.is_empty() && route.headers.is_empty();
    let last = fitting.iter().find(|it| takes_all(it));
    let last = last.map_or(0, |route| specificity(&route.host));
    let reached = fitting.iter().filter(|it| specificity(&it.host) >= last);
    reached.map(|route| route.group).collect()
}

/// Whether all hosts of `inner` are hosts of `outer`.
fn covers(outer: &Host, inner: &Host) -> bool {
    match (outer, inner) {
        (Host::Any, _) => true,
        (Host::Below(suffix), Host::Below(name) | Host::Exactly(name)) => name.ends_with(suffix),
        (Host::Exactly(one), Host::Exactly(other)) => one == other,
        (Host::Below(_) | Host::Exactly(_), _) => false,
    }
}

/// As [`Route::fits`] has it.
fn specificity(host: &Host) -> usize {
    match host {
        Host::Any => 0,
        Host::Below(suffix) => suffix.len(),
        Host::Exactly(_) => usize::MAX,
    }
}

/// Whether both have a cookie of the same name, and not the same servers.
fn clash(one: &GroupConfig, other: &GroupConfig) -> bool {
    let cookie = |group: &GroupConfig| match &group.sticky {
        Some(Sticky::Cookie(name)) => Some(name.clone()),
        _ => None,
    };
    let servers = |group: &GroupConfig| {
        let names = group.servers.iter().map(|server| server.name.clone());
        names.collect::<HashSet<_>>()
    };
    cookie(one).is_some() && cookie(one) == cookie(other) && servers(one) != servers(other)
}
