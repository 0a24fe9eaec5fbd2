use super::address::Address;
use super::network::Network;
use super::raw::RawProxyProtocol;
use super::source::{ConfigError, Source};
use crate::proxy::client_address::ClientAddress;

/// What stands for all peers of a Unix socket: the permissions of its file say who they are.
const UNIX: &str = "unix";

/// Which peers say by the PROXY protocol from which client a connection is.
///
/// They must: whether a header is there is never guessed. What any other peer says is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyProtocol {
    from: Vec<Network>,
    /// Whether the peers of a Unix socket do.
    unix: bool,
}

impl ProxyProtocol {
    /// Whether a connection from there begins with a header.
    pub(crate) fn is_spoken_by(&self, peer: ClientAddress) -> bool {
        match peer.ip() {
            Some(address) => self.from.iter().any(|network| network.contains(address)),
            None => self.unix,
        }
    }
}

pub(super) fn proxy_protocol(
    source: &Source<'_>,
    raw: &RawProxyProtocol,
    listener: &Address,
) -> Result<ProxyProtocol, ConfigError> {
    let field = "listeners.proxy_protocol.from";
    let at_unix = listener.ip().is_none();
    let (mut from, mut unix) = (Vec::new(), false);
    for value in raw.from.get_ref() {
        let refuse = |problem: &str| Err(source.refuse(value.span().start, field, problem));
        match (value.get_ref() == UNIX, at_unix) {
            (true, true) => unix = true,
            (true, false) => {
                return refuse("\"unix\" is for the address of a Unix socket: remove it");
            }
            (false, true) => {
                return refuse("this is the address of a Unix socket: write [\"unix\"]");
            }
            (false, false) => match Network::parse(value.get_ref()) {
                Ok(network) => from.push(network),
                Err(problem) => return refuse(&problem),
            },
        }
    }
    if from.is_empty() && !unix {
        let problem = "there is none: name the addresses of load balancers, such as \
                       [\"10.0.0.0/8\"], or leave proxy_protocol out";
        return Err(source.refuse(raw.from.span().start, field, problem));
    }
    Ok(ProxyProtocol { from, unix })
}
