use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use toml::Spanned;

use super::address::{Address, server_address};
use super::raw::RawServer;
use super::source::{ConfigError, Source};
use super::value::whole;

/// A server of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig {
    /// The address as it was written, which is its name.
    pub name: Arc<str>,
    /// The address that it stands for.
    pub address: Address,
    /// Whether the address has a name, which is looked up again.
    pub has_name: bool,
    /// Its speed relative to the others.
    pub weight: Option<f64>,
    /// How many requests it may have at once.
    pub limit: Option<u32>,
    /// Whether its tokens are believed.
    pub tokens: bool,
    /// Whether it gets requests only while no other server is up.
    pub backup: bool,
}

pub(super) fn servers(
    source: &Source<'_>,
    folder: &Path,
    raw: &Spanned<Vec<RawServer>>,
) -> Result<Vec<ServerConfig>, ConfigError> {
    let mut servers: Vec<ServerConfig> = Vec::new();
    let mut known: HashMap<Address, usize> = HashMap::new();
    for raw in raw.get_ref() {
        let at = raw.address.span().start;
        let name = raw.address.get_ref();
        let address = server_address(source, folder, "groups.servers.address", &raw.address)?;
        if let Some(earlier) = known.insert(address.resolved(), servers.len()) {
            let earlier = &servers[earlier].name;
            let problem = if **earlier == **name {
                format!("'{name}' is listed twice: remove one, or give it a higher weight")
            } else {
                format!("'{name}' is the same server as '{earlier}': remove one")
            };
            return Err(source.refuse(at, "groups.servers.address", problem));
        }
        let weight = raw.weight.as_ref();
        if let Some(value) = weight.filter(|value| !(1e-6..=1e6).contains(value.get_ref())) {
            let problem = format!(
                "{} is not allowed: give a number from 0.000001 to 1000000",
                value.get_ref()
            );
            return Err(source.refuse(value.span().start, "groups.servers.weight", problem));
        }
        servers.push(ServerConfig {
            name: name.as_str().into(),
            has_name: address.ip().is_some() && name.parse::<SocketAddr>().is_err(),
            address,
            weight: weight.map(|value| *value.get_ref()),
            limit: whole(
                source,
                "groups.servers.limit",
                raw.limit.as_ref(),
                1..=1_000_000,
            )?,
            tokens: raw.tokens.unwrap_or(false),
            backup: raw.backup.unwrap_or(false),
        });
    }
    if servers.is_empty() {
        let problem =
            "there is none: add one such as [[groups.servers]] with address = \"10.0.0.7:8000\"";
        return Err(source.refuse(raw.span().start, "groups.servers", problem));
    }
    if servers.iter().all(|server| server.backup) {
        let problem = "all of them are backups: one must not be";
        return Err(source.refuse(raw.span().start, "groups.servers.backup", problem));
    }
    Ok(servers)
}
