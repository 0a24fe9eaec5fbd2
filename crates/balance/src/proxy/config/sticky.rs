use http::HeaderName;
use toml::Spanned;

use super::raw::RawSticky;
use super::source::{ConfigError, Source};
use super::value::{whole, word};

/// What keeps the requests of a session at the same servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sticky {
    /// A cookie of this name, which the proxy sets and which names the server.
    Cookie(String),
    /// A hash of what tells sessions apart.
    Hash {
        /// What that is.
        of: HashOf,
        /// How many servers share the requests of a session.
        servers: usize,
    },
}

/// What tells sessions apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HashOf {
    /// The value of this field.
    Header(HeaderName),
    /// The client's IP address.
    Address,
}

/// The cookie's name if none is given.
const COOKIE: &str = "filch-server";

#[derive(Clone, Copy)]
enum By {
    Cookie,
    Header,
    Address,
}

pub(super) fn sticky(source: &Source<'_>, raw: &RawSticky) -> Result<Sticky, ConfigError> {
    let words = [
        ("cookie", By::Cookie),
        ("header", By::Header),
        ("address", By::Address),
    ];
    let by = word(source, "groups.sticky.by", Some(&raw.by), &words)?;
    let name = raw.name.as_ref();
    let servers = whole(
        source,
        "groups.sticky.servers",
        raw.servers.as_ref(),
        1..=100,
    )?;
    let hash = |of| {
        Ok(Sticky::Hash {
            of,
            servers: servers.unwrap_or(1),
        })
    };
    match by {
        Some(By::Header) => hash(HashOf::Header(header(source, raw)?)),
        Some(By::Address) => match name {
            Some(name) => Err(needless(source, name, "groups.sticky.name")),
            None => hash(HashOf::Address),
        },
        Some(By::Cookie) | None => match &raw.servers {
            Some(servers) => Err(needless(source, servers, "groups.sticky.servers")),
            None => cookie(source, name).map(Sticky::Cookie),
        },
    }
}

fn needless<T>(source: &Source<'_>, value: &Spanned<T>, field: &str) -> ConfigError {
    source.refuse(
        value.span().start,
        field,
        "it means nothing here: remove it",
    )
}

fn cookie(source: &Source<'_>, name: Option<&Spanned<String>>) -> Result<String, ConfigError> {
    let Some(name) = name else {
        return Ok(COOKIE.to_owned());
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.get_ref().is_empty() && name.get_ref().chars().all(plain) {
        return Ok(name.get_ref().clone());
    }
    let problem = format!(
        "'{}' is not allowed: use letters, digits, '-' and '_'",
        name.get_ref().escape_debug()
    );
    Err(source.refuse(name.span().start, "groups.sticky.name", problem))
}

fn header(source: &Source<'_>, raw: &RawSticky) -> Result<HeaderName, ConfigError> {
    let Some(name) = &raw.name else {
        let problem = "there is none: name a field, such as name = \"x-user\"";
        return Err(source.refuse(raw.by.span().start, "groups.sticky.name", problem));
    };
    HeaderName::from_bytes(name.get_ref().as_bytes()).map_err(|_| {
        let problem = format!(
            "'{}' is not the name of a field: write one such as \"x-user\"",
            name.get_ref().escape_debug()
        );
        source.refuse(name.span().start, "groups.sticky.name", problem)
    })
}
