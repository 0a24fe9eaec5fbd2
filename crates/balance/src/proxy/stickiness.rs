//! Sessions that stay at their servers, by a cookie or by a hash.
//!
//! A session has the same servers at every proxy and after every restart: its cookie has a hash of
//! the server's name, and hashes are those of *rendezvous hashing* (Thaler, Ravishankar 1998). Each
//! server draws a number for each session, and the session belongs to the servers with the greatest
//! ones. If a server leaves, its sessions alone move, and they spread over all others. A server of
//! weight w draws −w / ln u with u uniform, and so the greatest number of all with a probability
//! in proportion to w.

use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};

use super::client::Client;
use super::config::{HashOf, Sticky};
use super::group::Group;
use super::group_state::ServerKey;
use super::servers::Upstream;

/// How many servers follow those of a session, in case these are down.
const IN_RESERVE: usize = 8;

/// How many cookies of the same name are looked at.
const MOST_COOKIES: usize = 8;

/// The servers that the request belongs to, the best first, and how many of them share it.
pub(crate) fn servers_of(
    client: &Client,
    headers: &HeaderMap,
    group: &Group,
) -> Option<(Vec<ServerKey>, usize)> {
    match group.config.sticky.as_ref()? {
        Sticky::Cookie(name) => {
            let named = tags_in(headers, name).filter_map(|tag| {
                let server = group.servers.iter().find(|server| server.tag == tag)?;
                Some(server.name.clone())
            });
            let named: Vec<_> = named.collect();
            (!named.is_empty()).then_some((named, 1))
        }
        Sticky::Hash { of, servers } => {
            let key = match of {
                HashOf::Header(name) => hash(headers.get(name)?.as_bytes()),
                HashOf::Address => hash(client.address.ip()?.to_string().as_bytes()),
            };
            Some((by_hash(key, group, *servers + IN_RESERVE), *servers))
        }
    }
}

/// Sets the cookie in an answer to a request with these headers, unless the client has named this
/// server itself.
pub(crate) fn set_cookie(
    client: &Client,
    asked: &HeaderMap,
    group: &Group,
    server: &Upstream,
    answer: &mut HeaderMap,
) {
    let Some(Sticky::Cookie(name)) = &group.config.sticky else {
        return;
    };
    if tags_in(asked, name).any(|tag| tag == server.tag) {
        return;
    }
    let secure = if client.encrypted { "; Secure" } else { "" };
    let cookie = format!(
        "{name}={:016x}; Path=/; HttpOnly; SameSite=Lax{secure}",
        server.tag
    );
    // The name was checked with the configuration.
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        answer.append(SET_COOKIE, cookie);
    }
}

/// The first `most` servers of a session with this hash, the best first. Backups have no sessions.
fn by_hash(key: u64, group: &Group, most: usize) -> Vec<ServerKey> {
    let servers = group.servers.iter().filter(|server| !server.backup);
    let draws = servers.map(|server| (draw(key, server.tag, server.weight), server));
    let mut draws: Vec<_> = draws.collect();
    draws.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
    draws.truncate(most);
    draws
        .into_iter()
        .map(|(_, server)| server.name.clone())
        .collect()
}

/// The number that a server draws for a session.
fn draw(key: u64, tag: u64, weight: f64) -> f64 {
    // 53 bits, from the open interval between 0 and 1.
    let uniform = ((mixed(key ^ tag) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    -weight / uniform.ln()
}

/// What a cookie calls a server of this name.
pub(crate) fn tag(name: &str) -> u64 {
    hash(name.as_bytes())
}

/// The servers that cookies of this name call for.
///
/// A client may send several: a cookie of the same name may have been set for another path or for
/// the whole domain, and nothing says which is ours (RFC 6265, section 4.2.2). So all of them
/// count, up to a number that nothing but an attack exceeds. Other cookies may have any bytes.
fn tags_in(headers: &HeaderMap, name: &str) -> impl Iterator<Item = u64> {
    let fields = headers.get_all(COOKIE).iter();
    let cookies = fields.flat_map(|field| field.as_bytes().split(|byte| *byte == b';'));
    let values = cookies.filter_map(move |cookie| {
        let equals = cookie.iter().position(|byte| *byte == b'=')?;
        let (cookie, value) = (&cookie[..equals], &cookie[equals + 1..]);
        (cookie.trim_ascii() == name.as_bytes()).then(|| value.trim_ascii())
    });
    values.take(MOST_COOKIES).filter_map(|value| {
        let is_tag = value.len() == 16 && value.iter().all(u8::is_ascii_hexdigit);
        let value = str::from_utf8(value).ok().filter(|_| is_tag)?;
        u64::from_str_radix(value, 16).ok()
    })
}

/// FNV-1a, mixed once more because the last bytes hardly reach its upper bits. It is the same
/// everywhere, and no defence against clients that choose their keys.
fn hash(bytes: &[u8]) -> u64 {
    let fnv = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    mixed(fnv)
}

/// The finalizer of SplitMix64: a bijection in which every bit of the input reaches all of the
/// output.
fn mixed(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of three servers, with these weights, 30,000 sessions belong to.
    fn owners(weights: [f64; 3]) -> Vec<usize> {
        let tags = ["a:1", "b:1", "c:1"].map(tag);
        let owner = |session: u32| {
            let key = hash(session.to_string().as_bytes());
            let draws = [0, 1, 2].map(|at| (draw(key, tags[at], weights[at]), at));
            let best = draws
                .into_iter()
                .max_by(|one, other| one.0.total_cmp(&other.0));
            best.unwrap().1
        };
        (0..30_000).map(owner).collect()
    }

    /// Each server has its share of sessions. The bound is five standard deviations.
    #[test]
    fn sessions_are_shared_by_weight() {
        for weights in [[1.0, 1.0, 1.0], [1.0, 2.0, 7.0]] {
            let owners = owners(weights);
            for (at, weight) in weights.into_iter().enumerate() {
                let share = weight / weights.iter().sum::<f64>();
                let count = owners.iter().filter(|owner| **owner == at).count() as f64;
                let (expected, n) = (30_000.0 * share, 30_000.0);
                let bound = 5.0 * (n * share * (1.0 - share)).sqrt();
                assert!((count - expected).abs() < bound, "{at}: {count}");
            }
        }
    }

    /// If the second server is as good as gone, sessions of the others stay.
    #[test]
    fn only_sessions_of_a_server_that_leaves_move() {
        let (before, after) = (owners([1.0; 3]), owners([1.0, 1e-300, 1.0]));
        let mut moved = [0; 3];
        for (before, after) in before.into_iter().zip(after) {
            match before {
                1 => moved[after] += 1,
                owner => assert_eq!(owner, after),
            }
        }
        assert_eq!(moved[1], 0);
        assert!(moved[0].min(moved[2]) > 4000, "{moved:?}");
    }

    #[test]
    fn cookies_are_read() {
        for (fields, expected) in [
            (&["s=00000000000000ff"][..], &[255][..]),
            (&["a=b; s=00000000000000ff; c=d"], &[255]),
            (&["a=b;s=00000000000000ff;c"], &[255]),
            (&["a=b", "s=00000000000000ff"], &[255]),
            (&["name=M\u{fc}ller; s=00000000000000ff"], &[255]),
            (&["s=x; s=00000000000000ff"], &[255]),
            (&["s=0000000000000001; s=00000000000000ff"], &[1, 255]),
            (&["as=00000000000000ff"], &[]),
            (&["s=ff"], &[]),
            (&["s=+0000000000000ff"], &[]),
            (&["s"], &[]),
            (&[], &[]),
        ] {
            let mut headers = HeaderMap::new();
            for field in fields {
                headers.append(COOKIE, HeaderValue::from_bytes(field.as_bytes()).unwrap());
            }
            let found: Vec<_> = tags_in(&headers, "s").collect();
            assert_eq!(found, expected, "{fields:?}");
        }
        let many = "s=00000000000000ff;".repeat(1000);
        let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::try_from(many).unwrap())]);
        assert_eq!(tags_in(&headers, "s").count(), MOST_COOKIES);
    }
}
