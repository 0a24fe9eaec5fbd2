use std::net::IpAddr;

use super::network::Network;
use super::raw::RawProxyProtocol;
use super::source::{ConfigError, Source};

/// Which peers say by the PROXY protocol from which client a connection is.
///
/// They must: whether a header is there is never guessed. What any other peer says is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyProtocol {
    from: Vec<Network>,
}

impl ProxyProtocol {
    /// Whether a connection from this address begins with a header.
    pub(crate) fn is_spoken_by(&self, peer: IpAddr) -> bool {
        self.from.iter().any(|network| network.contains(peer))
    }
}

pub(super) fn proxy_protocol(
    source: &Source<'_>,
    raw: &RawProxyProtocol,
) -> Result<ProxyProtocol, ConfigError> {
    let field = "listeners.proxy_protocol.from";
    let networks = raw.from.get_ref().iter().map(|value| {
        Network::parse(value.get_ref())
            .map_err(|problem| source.refuse(value.span().start, field, problem))
    });
    let from = networks.collect::<Result<Vec<_>, _>>()?;
    if from.is_empty() {
        let problem = "there is none: name the addresses of load balancers, such as \
                       [\"10.0.0.0/8\"], or leave proxy_protocol out";
        return Err(source.refuse(raw.from.span().start, field, problem));
    }
    Ok(ProxyProtocol { from })
}
