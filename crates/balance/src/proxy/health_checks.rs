//! Active health checks: every server of a group gets a request at intervals.

use std::sync::Arc;
use std::time::Duration;

use pingora_error::{Error, ErrorType};
use pingora_http::RequestHeader;
use pingora_load_balancing::Backend;
use pingora_load_balancing::health_check::{HealthCheck as _, HttpHealthCheck};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::config::Health;
use super::group::Group;

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
    let Some(check) = check(group, &config).map(Arc::new) else {
        return;
    };
    for (place, server) in group.servers.iter().enumerate() {
        let (config, check) = (Arc::clone(&config), Arc::clone(&check));
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
                let Ok(target) = Backend::new(&server.address().to_string()) else {
                    continue;
                };
                let answer = timeout(config.timeout, check.check(&target)).await;
                let passed = matches!(answer, Ok(Ok(())));
                server.health.counts.checked(passed);
                server.health.checked(passed, &config);
            }
        });
    }
}

/// One check for all servers of the group: Pingora's, which fills in each server's address.
fn check(group: &Group, config: &Health) -> Option<HttpHealthCheck> {
    let mut check = HttpHealthCheck::new(&config.host, false);
    check.peer_template = group.servers.first()?.peer_for_check(config.timeout);
    // Path and host were checked with the configuration.
    let mut request = RequestHeader::build("GET", config.path.as_bytes(), None).ok()?;
    request.insert_header("Host", &config.host).ok()?;
    check.req = request;
    check.validator = Some(Box::new(|answer| {
        if answer.status.is_success() {
            return Ok(());
        }
        let status = ErrorType::HTTPStatus(answer.status.as_u16());
        Err(Error::explain(status, "answer to a health check"))
    }));
    Some(check)
}
