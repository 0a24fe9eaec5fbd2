use http::{HeaderMap, HeaderName, HeaderValue, Method};
use toml::Spanned;

use super::group::GroupConfig;
use super::raw::RawRoute;
use super::source::{ConfigError, Source};

/// The group of some requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Which hosts.
    pub host: Host,
    /// The beginning of the path, up to the end of a segment.
    pub path: String,
    /// Which methods; all if there is none.
    pub methods: Vec<Method>,
    /// Fields with these values.
    pub headers: Vec<(HeaderName, HeaderValue)>,
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
                methods: Vec::new(),
                headers: Vec::new(),
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
            methods: methods(source, raw)?,
            headers: headers(source, raw)?,
            group: group(source, raw, groups)?,
        };
        let same = |earlier: &Route| {
            let group = route.group;
            Route {
                group,
                ..earlier.clone()
            } == route
        };
        if routes.iter().any(same) {
            let problem = "an earlier route has the same conditions: remove one";
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

fn methods(source: &Source<'_>, raw: &RawRoute) -> Result<Vec<Method>, ConfigError> {
    let Some(list) = raw.methods.as_ref() else {
        return Ok(Vec::new());
    };
    if list.get_ref().is_empty() {
        let problem = "there is none: name one such as \"GET\", or leave it out for all";
        return Err(source.refuse(list.span().start, "routes.methods", problem));
    }
    let mut methods = Vec::new();
    for value in list.get_ref() {
        let name = value.get_ref();
        // A method is told by its case, and a small one is most likely a mistake.
        let capital = name.bytes().all(|byte| !byte.is_ascii_lowercase());
        let method = Method::from_bytes(name.as_bytes()).ok().filter(|_| capital);
        methods.push(method.ok_or_else(|| {
            let problem = format!(
                "'{}' is not a method: write one such as \"GET\"",
                name.escape_debug()
            );
            source.refuse(value.span().start, "routes.methods", problem)
        })?);
    }
    methods.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
    methods.dedup();
    Ok(methods)
}

fn headers(
    source: &Source<'_>,
    raw: &RawRoute,
) -> Result<Vec<(HeaderName, HeaderValue)>, ConfigError> {
    let field = |(name, value): (&Spanned<String>, &Spanned<String>)| {
        let text = name.get_ref();
        let name = HeaderName::from_bytes(text.as_bytes()).map_err(|_| {
            let problem = format!(
                "'{}' is not the name of a field: write one such as \"x-canary\"",
                text.escape_debug()
            );
            source.refuse(name.span().start, "routes.headers", problem)
        })?;
        let value = HeaderValue::from_str(value.get_ref()).map_err(|_| {
            let problem = format!(
                "'{}' cannot be the value of a field",
                value.get_ref().escape_debug()
            );
            source.refuse(value.span().start, "routes.headers", problem)
        })?;
        Ok((name, value))
    };
    let fields = raw.headers.iter().flatten().map(field);
    let mut fields = fields.collect::<Result<Vec<_>, _>>()?;
    fields.sort_unstable_by(|one, other| one.0.as_str().cmp(other.0.as_str()));
    Ok(fields)
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

/// What of a request decides on its route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// In lower case and without port.
    pub(crate) host: &'a str,
    pub(crate) path: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) headers: &'a HeaderMap,
}

impl Route {
    /// Whether a request fits this route, and if so how specific the route is. Of several routes
    /// that fit, the most specific is taken; the host counts before the path, then headers, then
    /// methods.
    pub(crate) fn fits(&self, asked: &Asked<'_>) -> Option<(usize, usize, usize, bool)> {
        let Asked { host, path, .. } = *asked;
        // `OPTIONS *` asks about the server as a whole.
        let of_server = path == "*" && *asked.method == Method::OPTIONS;
        let path = if of_server { "/" } else { path };
        let by_host = match &self.host {
            Host::Any => 0,
            Host::Below(suffix) if host.ends_with(suffix.as_str()) => suffix.len(),
            Host::Exactly(name) if name == host => usize::MAX,
            _ => return None,
        };
        let rest = path.strip_prefix(self.path.as_str())?;
        let whole_segment =
            self.path.ends_with('/') || rest.is_empty() || rest.starts_with(['/', '?']);
        let by_method = self.methods.is_empty() || self.methods.contains(asked.method);
        let has = |(name, value): &(HeaderName, HeaderValue)| {
            let mut values = asked.headers.get_all(name).iter();
            values.any(|found| found == value)
        };
        let fits = whole_segment && by_method && self.headers.iter().all(has);
        fits.then_some((
            by_host,
            self.path.len(),
            self.headers.len(),
            !self.methods.is_empty(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(host: Host, path: &str) -> Route {
        Route {
            host,
            path: path.into(),
            methods: Vec::new(),
            headers: Vec::new(),
            group: 0,
        }
    }

    /// How well a route fits a request without fields.
    fn fit(
        route: &Route,
        method: Method,
        host: &str,
        path: &str,
    ) -> Option<(usize, usize, usize, bool)> {
        let (method, headers) = (&method, &HeaderMap::new());
        route.fits(&Asked {
            host,
            path,
            method,
            headers,
        })
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
            assert_eq!(
                fit(&route, Method::GET, "any", path).is_some(),
                fits,
                "{path}"
            );
        }
    }

    #[test]
    fn options_of_everything_fit_the_root() {
        let root = route(Host::Any, "/");
        assert!(fit(&root, Method::OPTIONS, "any", "*").is_some());
        assert_eq!(fit(&root, Method::GET, "any", "*"), None);
        let below = route(Host::Any, "/v1");
        assert_eq!(fit(&below, Method::OPTIONS, "any", "*"), None);
    }

    #[test]
    fn the_host_counts_more_than_the_path() {
        let exactly = route(Host::Exactly("a.example".into()), "/");
        let below = route(Host::Below(".example".into()), "/");
        let any = route(Host::Any, "/long/path/");
        let fits = |route: &Route| fit(route, Method::GET, "a.example", "/long/path/x");
        assert!(fits(&exactly) > fits(&below));
        assert!(fits(&below) > fits(&any));
        assert_eq!(fit(&below, Method::GET, "example", "/"), None);
    }

    #[test]
    fn methods_and_headers_are_conditions() {
        let plain = route(Host::Any, "/");
        let reads = Route {
            methods: vec![Method::GET, Method::HEAD],
            ..plain.clone()
        };
        let canary = Route {
            headers: vec![(
                HeaderName::from_static("x-canary"),
                HeaderValue::from_static("yes"),
            )],
            ..plain.clone()
        };
        assert!(fit(&reads, Method::GET, "a", "/") > fit(&plain, Method::GET, "a", "/"));
        assert_eq!(fit(&reads, Method::POST, "a", "/"), None);
        assert_eq!(fit(&canary, Method::GET, "a", "/"), None);
        for (value, fits) in [("yes", true), ("Yes", false), ("no", false)] {
            let mut headers = HeaderMap::new();
            headers.append("x-canary", HeaderValue::from_static("another"));
            headers.append("x-canary", HeaderValue::from_static(value));
            let asked = Asked {
                host: "a",
                path: "/",
                method: &Method::GET,
                headers: &headers,
            };
            assert_eq!(canary.fits(&asked) > reads.fits(&asked), fits, "{value}");
        }
    }
}
