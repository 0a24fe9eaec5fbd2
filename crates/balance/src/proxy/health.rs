//! Active health checks: every server of a group is asked at intervals.

use std::sync::Arc;
use std::time::Duration;

use pingora_error::{Error, ErrorType};
use pingora_http::RequestHeader;
use pingora_load_balancing::Backend;
use pingora_load_balancing::health_check::{HealthCheck as _, HttpHealthCheck};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::config::Health;
use super::groups::Group;

/// Starts to check the servers of `group`, until the set is dropped.
pub(crate) fn start(group: &Group, tasks: &mut JoinSet<()>) {
    let Some(said) = group.said.health.clone() else {
        for server in &group.servers {
            server.standing.unchecked();
        }
        return;
    };
    let said = Arc::new(said);
    let Some(check) = check(group, &said).map(Arc::new) else {
        return;
    };
    for (place, server) in group.servers.iter().enumerate() {
        let (said, check) = (Arc::clone(&said), Arc::clone(&check));
        let server = Arc::clone(server);
        let Ok(target) = Backend::new(&server.address().to_string()) else {
            continue;
        };
        // Spread over the interval, so that a thousand servers are not asked in one moment.
        let share = place as f64 / group.servers.len() as f64;
        let offset = said.interval.min(Duration::from_secs(10)).mul_f64(share);
        tasks.spawn(async move {
            sleep(offset).await;
            let mut ticks = interval(said.interval);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let answer = timeout(said.timeout, check.check(&target)).await;
                let passed = matches!(answer, Ok(Ok(())));
                server.standing.counts.checked(passed);
                server.standing.checked(passed, &said);
            }
        });
    }
}

/// The check for all servers of the group: Pingora's, which puts each server's address in.
fn check(group: &Group, said: &Health) -> Option<HttpHealthCheck> {
    let mut check = HttpHealthCheck::new(&said.host, false);
    check.peer_template = group.servers.first()?.peer_for_check(said.timeout);
    // Path and host were checked with the configuration.
    let mut request = RequestHeader::build("GET", said.path.as_bytes(), None).ok()?;
    request.insert_header("Host", &said.host).ok()?;
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
