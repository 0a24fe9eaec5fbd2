//! How many connections the system allows.

/// What else needs a descriptor: listeners, the terminal, the reactor.
const OTHERS: usize = 128;

/// How many requests each of several may have open, up to `most`, if one of all needs `each`
/// descriptors. The limit is raised as far as an ordinary user may.
pub(super) fn available(most: usize, each: usize) -> usize {
    let wanted = most * each + OTHERS;
    let allowed = raise(wanted);
    (allowed.saturating_sub(OTHERS) / each).clamp(16, most)
}

#[cfg(unix)]
fn raise(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limits = getrlimit(Resource::Nofile);
    let current = limits.current.unwrap_or(u64::MAX);
    let reachable = limits.maximum.unwrap_or(u64::MAX).min(wanted as u64);
    if current >= reachable {
        return usize::try_from(current).unwrap_or(usize::MAX);
    }
    let raised = Rlimit {
        current: Some(reachable),
        maximum: limits.maximum,
    };
    let allowed = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => reachable,
        Err(_) => current,
    };
    usize::try_from(allowed).unwrap_or(usize::MAX)
}

#[cfg(not(unix))]
fn raise(wanted: usize) -> usize {
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_more_than_asked_for_and_never_none() {
        for (most, each) in [(1000, 10), (16, 2), (1_000_000_000, 100)] {
            assert!((16..=most).contains(&available(most, each)));
        }
    }
}
