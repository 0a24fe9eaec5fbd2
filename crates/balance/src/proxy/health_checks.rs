//! Active health checks: every server of a group gets a request at intervals.

use std::sync::Arc;
use std::time::Duration;

use http::header::HOST;
use http::{Request, Version};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::config::{Health, Protocol};
use super::group::Group;
use super::request_body::RequestBody;
use super::servers::Upstream;

/// The first checks of a group are spread over at most this time.
const SPREAD: Duration = Duration::from_secs(10);

/// Starts to check the servers of `group`, until `tasks` is dropped.
pub(crate) fn start(group: &Group, tasks: &mut JoinSet<()>) {
    let Some(config) = group.config.health.clone() else {
        for server in &group.servers {
            server.health.unchecked();
        }
        return;
    };
    let config = Arc::new(config);
    for (place, server) in group.servers.iter().enumerate() {
        let config = Arc::clone(&config);
        let server = Arc::clone(server);
        // Spread over the interval, so that a thousand servers are not checked at one moment.
        let share = place as f64 / group.servers.len() as f64;
        let offset = config.interval.min(SPREAD).mul_f64(share);
        tasks.spawn(async move {
            sleep(offset).await;
            let mut ticks = interval(config.interval);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let answer = timeout(config.timeout, passes(&server, &config)).await;
                let passed = answer == Ok(Some(true));
                server.health.counts.checked(passed);
                server.health.checked(passed, &config);
            }
        });
    }
}

/// Sends one check over a connection of its own. Returns whether the answer is good, if there is
/// one.
async fn passes(server: &Upstream, config: &Health) -> Option<bool> {
    let connector = &server.connector;
    let (address, time) = (server.address(), config.timeout);
    let stream = connector.connect(&address, time, time).await.ok()?;
    let stream = TokioIo::new(stream);
    // The connection ends when this is dropped.
    let mut driven = JoinSet::new();
    let status = match connector.protocol {
        Protocol::Http1 => {
            let request = Request::get(&config.path).header(HOST, &config.host);
            let request = request.body(RequestBody::EMPTY).ok()?;
            let (mut sender, connection) = http1::handshake(stream).await.ok()?;
            driven.spawn(async { drop(connection.await) });
            sender.send_request(request).await.ok()?.status()
        }
        Protocol::Http2 => {
            let scheme = connector.tls.as_ref().map_or("http", |_| "https");
            let uri = format!("{scheme}://{}{}", config.host, config.path);
            let request = Request::get(uri).version(Version::HTTP_2);
            let request = request.body(RequestBody::EMPTY).ok()?;
            let handshake = http2::handshake(TokioExecutor::new(), stream);
            let (mut sender, connection) = handshake.await.ok()?;
            driven.spawn(async { drop(connection.await) });
            sender.send_request(request).await.ok()?.status()
        }
    };
    Some(status.is_success())
}
