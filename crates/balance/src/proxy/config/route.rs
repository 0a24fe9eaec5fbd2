use toml::Spanned;

use super::group::GroupConfig;
use super::raw::RawRoute;
use super::source::{ConfigError, Source};

/// The group of requests for some hosts and paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Which hosts.
    pub host: Host,
    /// The beginning of the path, up to the end of a segment.
    pub path: String,
    /// The position of the group in the list.
    pub group: usize,
}

/// Which hosts a route is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// All hosts.
    Any,
    /// Hosts that end in this, which begins with a dot.
    Below(String),
    /// This host.
    Exactly(String),
}

pub(super) fn routes(
    source: &Source<'_>,
    raw: Option<&Spanned<Vec<RawRoute>>>,
    groups: &[GroupConfig],
) -> Result<Vec<Route>, ConfigError> {
    let raw = match raw {
        Some(raw) if !raw.get_ref().is_empty() => raw,
        _ if groups.len() == 1 => {
            return Ok(vec![Route {
                host: Host::Any,
                path: "/".into(),
                group: 0,
            }]);
        }
        _ => {
            let problem = "there is none, and more than one group: say what goes where with \
                           [[routes]], such as path = \"/\" and group = \"…\"";
            return Err(source.refuse(raw.map_or(0, |raw| raw.span().start), "routes", problem));
        }
    };
    let mut routes: Vec<Route> = Vec::new();
    for raw in raw.get_ref() {
        let route = Route {
            host: host(source, raw)?,
            path: path(source, raw)?,
            group: group(source, raw, groups)?,
        };
        let same = |earlier: &Route| earlier.host == route.host && earlier.path == route.path;
        if routes.iter().any(same) {
            let problem = "an earlier route has the same host and path: remove one";
            return Err(source.refuse(raw.group.span().start, "routes", problem));
        }
        routes.push(route);
    }
    Ok(routes)
}

fn host(source: &Source<'_>, raw: &RawRoute) -> Result<Host, ConfigError> {
    let Some(value) = raw.host.as_ref() else {
        return Ok(Host::Any);
    };
    let text = value.get_ref().to_ascii_lowercase();
    let name = |text: &str| {
        // A colon is allowed only in brackets: routes do not look at the port.
        let (inside, extra) = match text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            Some(address) => (address, ":"),
            None => (text, ""),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c) || extra.contains(c);
        !inside.is_empty() && inside.chars().all(plain)
    };
    match text.strip_prefix('*') {
        Some(below) if below.starts_with('.') && name(&below[1..]) => {
            Ok(Host::Below(below.to_owned()))
        }
        None if name(&text) => Ok(Host::Exactly(text)),
        _ => {
            let problem = format!(
                "'{}' is not a host: write one such as \"example.org\" or \"*.example.org\", or leave it \
                 out for all",
                value.get_ref().escape_debug()
            );
            Err(source.refuse(value.span().start, "routes.host", problem))
        }
    }
}

fn path(source: &Source<'_>, raw: &RawRoute) -> Result<String, ConfigError> {
    let Some(value) = raw.path.as_ref() else {
        return Ok("/".into());
    };
    let path = value.get_ref();
    let plain = path
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'?' && byte != b'#');
    if path.starts_with('/') && plain {
        Ok(path.clone())
    } else {
        let problem = format!(
            "'{}' is not the beginning of a path: write one such as \"/v1/\"",
            path.escape_debug()
        );
        Err(source.refuse(value.span().start, "routes.path", problem))
    }
}

fn group(
    source: &Source<'_>,
    raw: &RawRoute,
    groups: &[GroupConfig],
) -> Result<usize, ConfigError> {
    let name = raw.group.get_ref();
    let place = groups.iter().position(|group| *group.name == **name);
    place.ok_or_else(|| {
        let known: Vec<_> = groups.iter().map(|group| &*group.name).collect();
        let problem = format!(
            "there is no group '{}': the groups are {}",
            name.escape_debug(),
            known.join(", ")
        );
        source.refuse(raw.group.span().start, "routes.group", problem)
    })
}

impl Route {
    /// Whether a request for this host (in lower case, without port) and path fits this route, and
    /// if so how specific the route is. Of several routes that fit, the most specific is taken; the
    /// host counts before the path.
    pub(crate) fn fits(&self, host: &str, path: &str) -> Option<(usize, usize)> {
        let by_host = match &self.host {
            Host::Any => 0,
            Host::Below(suffix) if host.ends_with(suffix.as_str()) => suffix.len(),
            Host::Exactly(name) if name == host => usize::MAX,
            _ => return None,
        };
        let rest = path.strip_prefix(self.path.as_str())?;
        let whole_segment =
            self.path.ends_with('/') || rest.is_empty() || rest.starts_with(['/', '?']);
        whole_segment.then_some((by_host, self.path.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(host: Host, path: &str) -> Route {
        Route {
            host,
            path: path.into(),
            group: 0,
        }
    }

    #[test]
    fn a_path_is_a_prefix_of_whole_segments() {
        let route = route(Host::Any, "/v1");
        for (path, fits) in [
            ("/v1", true),
            ("/v1/", true),
            ("/v1/x", true),
            ("/v1?x", true),
            ("/v1x", false),
            ("/", false),
            ("/v", false),
        ] {
            assert_eq!(route.fits("any", path).is_some(), fits, "{path}");
        }
    }

    #[test]
    fn the_host_counts_more_than_the_path() {
        let exactly = route(Host::Exactly("a.example".into()), "/");
        let below = route(Host::Below(".example".into()), "/");
        let any = route(Host::Any, "/long/path/");
        let fits = |route: &Route| route.fits("a.example", "/long/path/x");
        assert!(fits(&exactly) > fits(&below));
        assert!(fits(&below) > fits(&any));
        assert_eq!(below.fits("example", "/"), None);
    }
}
