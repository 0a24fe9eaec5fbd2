//! The hooks of the two HTTP filters: `queue`, before the router, and the one that ends leases, in
//! the cluster's own chain, under any other name.

use std::{mem, ptr};

use super::boxed::{give, give_box, shared, take, unique};
use super::envoy_filter::{EnvoyFilter, FilterMetrics};
use crate::abi::constants::filter_status;
use crate::abi::guard::guarded;
use crate::abi::log;
use crate::abi::types::{Enum, EnvoyBuffer, EnvoyPtr, ModulePtr};
use crate::handoff::{self, Handed};
use crate::lease_filter::{self, LeaseFilter, LeaseMetrics};
use crate::queue_config::QueueConfig;
use crate::queue_filter::{self, Next, QueueFilter, QueueMetrics};

/// The name of the filter that queues requests.
const QUEUE: &str = "queue";

/// A filter's configuration.
enum FilterConfig {
    Lease(LeaseMetrics),
    Queue(QueueConfig, QueueMetrics),
}

/// The filter of one stream. It is in two cache lines, not in three.
#[repr(align(64))]
pub(crate) struct Filter {
    kind: Kind,
    /// Envoy's part.
    envoy: EnvoyFilter,
}

/// With parts of the filter's configuration, which lives as long as the filter. Most hooks do not
/// read it, and so do not wait for it.
enum Kind {
    /// The pointer is null in a filter that Envoy does not have.
    Lease(LeaseFilter, *const LeaseMetrics),
    Queue(QueueFilter, *const QueueConfig, *const QueueMetrics),
}

impl Filter {
    /// The filter of an attempt, for Envoy to have.
    #[inline]
    pub(crate) fn of(handed: Option<Handed>) -> Self {
        Self {
            kind: Kind::Lease(LeaseFilter::of(handed), ptr::null()),
            envoy: EnvoyFilter::NONE,
        }
    }

    /// The same for a filter whose attempt is over.
    #[inline]
    pub(crate) fn use_again(&mut self, handed: Handed) {
        match &mut self.kind {
            Kind::Lease(lease, _) => lease.use_again(handed),
            Kind::Queue(..) => *self = Self::of(Some(handed)),
        }
    }

    /// The lease that it has.
    #[inline]
    pub(crate) fn handed(&self) -> Option<&Handed> {
        match &self.kind {
            Kind::Lease(lease, _) => lease.handed(),
            Kind::Queue(..) => None,
        }
    }

    /// Takes the lease out of it.
    #[inline]
    pub(crate) fn take_handed(&mut self) -> Option<Handed> {
        match &mut self.kind {
            Kind::Lease(lease, _) => lease.take_handed(),
            Kind::Queue(..) => None,
        }
    }
}

/// Understands a configuration, or refuses it with a line in Envoy's log.
///
/// # Safety
///
/// Envoy calls it: the buffers are readable until it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_config_new(
    config_envoy: EnvoyPtr,
    name: EnvoyBuffer,
    config: EnvoyBuffer,
) -> ModulePtr {
    guarded("on_http_filter_config_new", ptr::null(), || {
        // SAFETY: readable until the hook returns.
        if unsafe { name.text() } != QUEUE {
            let (counters, gauges) = (lease_filter::COUNTERS, lease_filter::GAUGES);
            // SAFETY: Envoy makes a configuration just now.
            let metrics = unsafe { FilterMetrics::define(config_envoy, counters, gauges) };
            return give(FilterConfig::Lease(metrics));
        }
        // SAFETY: as above.
        match QueueConfig::read(unsafe { config.text() }) {
            Ok(config) => {
                let (counters, gauges) = (queue_filter::COUNTERS, queue_filter::GAUGES);
                // SAFETY: as above.
                let metrics = unsafe { FilterMetrics::define(config_envoy, counters, gauges) };
                give(FilterConfig::Queue(config, metrics))
            }
            Err(complaint) => {
                log::error(&complaint);
                ptr::null()
            }
        }
    })
}

/// Forgets a configuration.
///
/// # Safety
///
/// Envoy calls it once for each configuration, after the last filter of it is gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_config_destroy(config: ModulePtr) {
    guarded("on_http_filter_config_destroy", (), || {
        // SAFETY: it came from `config_new`, and Envoy uses it no more.
        drop(unsafe { take::<FilterConfig>(config) });
    });
}

/// Makes the filter of a stream.
///
/// # Safety
///
/// Envoy calls it, with a configuration that lives as long as the filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_new(
    config: ModulePtr,
    filter: EnvoyPtr,
) -> ModulePtr {
    guarded("on_http_filter_new", ptr::null(), || {
        // SAFETY: Envoy has given the pointer to this hook. The filter keeps it for later hooks,
        // in all of which the object is alive.
        let envoy = unsafe { EnvoyFilter::new(filter) };
        // SAFETY: it came from `config_new` and is not destroyed while filters live.
        let config: &FilterConfig = unsafe { shared(config) };
        match config {
            FilterConfig::Lease(metrics) => {
                let claimed = envoy.upstream_address(handoff::claim_filter);
                let mut filter = claimed.unwrap_or_else(|| Box::new(Filter::of(None)));
                filter.envoy = envoy;
                if let Kind::Lease(lease, statistics) = &mut filter.kind {
                    *statistics = metrics;
                    lease.begin(envoy, metrics);
                }
                give_box(filter)
            }
            FilterConfig::Queue(config, metrics) => give(Filter {
                kind: Kind::Queue(QueueFilter::default(), config, metrics),
                envoy,
            }),
        }
    })
}

/// The head of the request.
///
/// # Safety
///
/// Envoy calls it, on the stream's thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_request_headers(
    _: EnvoyPtr,
    filter: ModulePtr,
    _end_of_stream: bool,
) -> Enum {
    if filter.is_null() {
        return filter_status::CONTINUE;
    }
    let decided = guarded("on_http_filter_request_headers", None, || {
        // SAFETY: it came from `filter_new`, and Envoy calls a filter's hooks one after the other.
        let filter = unsafe { unique::<Filter>(filter) };
        let envoy = filter.envoy;
        match &mut filter.kind {
            Kind::Lease(lease, _) => {
                lease.request(envoy);
                None
            }
            Kind::Queue(queue, config, metrics) => {
                // SAFETY: the configuration lives as long as the filter.
                let config = unsafe { &**config };
                // SAFETY: as above.
                let metrics = unsafe { &**metrics };
                Some((queue.arrive(envoy, config, metrics), envoy))
            }
        }
    });
    match decided {
        None | Some((Next::Go, _)) => filter_status::CONTINUE,
        Some((Next::Stay, _)) => filter_status::STOP_ALL_AND_WATERMARK,
        Some((Next::Refuse { body, details }, envoy)) => {
            envoy.answer(503, body, details);
            filter_status::STOP_ITERATION
        }
    }
}

/// A part of the request's body.
///
/// # Safety
///
/// Envoy calls it. Nothing is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_request_body(
    _: EnvoyPtr,
    _: ModulePtr,
    _: bool,
) -> Enum {
    filter_status::CONTINUE
}

/// The end of the request.
///
/// # Safety
///
/// Envoy calls it. Nothing is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_request_trailers(
    _: EnvoyPtr,
    _: ModulePtr,
) -> Enum {
    filter_status::CONTINUE
}

/// The head of the answer.
///
/// # Safety
///
/// Envoy calls it, on the stream's thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_response_headers(
    _: EnvoyPtr,
    filter: ModulePtr,
    end_of_stream: bool,
) -> Enum {
    // SAFETY: as Envoy gave it.
    unsafe {
        with_lease(
            "on_http_filter_response_headers",
            filter,
            |lease, envoy, metrics| lease.answer(envoy, metrics, end_of_stream),
        )
    }
}

/// A part of the answer's body.
///
/// # Safety
///
/// Envoy calls it, on the stream's thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_response_body(
    _: EnvoyPtr,
    filter: ModulePtr,
    end_of_stream: bool,
) -> Enum {
    if !end_of_stream {
        return filter_status::CONTINUE;
    }
    // SAFETY: as Envoy gave it.
    unsafe { with_lease("on_http_filter_response_body", filter, LeaseFilter::end) }
}

/// The end of the answer.
///
/// # Safety
///
/// Envoy calls it, on the stream's thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_response_trailers(
    _: EnvoyPtr,
    filter: ModulePtr,
) -> Enum {
    // SAFETY: as Envoy gave it.
    unsafe { with_lease("on_http_filter_response_trailers", filter, LeaseFilter::end) }
}

/// # Safety
///
/// `filter` is null or came from `filter_new` and is not destroyed; Envoy calls a filter's hooks
/// one after the other.
unsafe fn with_lease(
    hook: &str,
    filter: ModulePtr,
    body: impl FnOnce(&mut LeaseFilter, EnvoyFilter, &LeaseMetrics),
) -> Enum {
    guarded(hook, (), || {
        if filter.is_null() {
            return;
        }
        // SAFETY: the caller promises it.
        let filter = unsafe { unique::<Filter>(filter) };
        if let Kind::Lease(lease, metrics) = &mut filter.kind {
            // SAFETY: `filter_new` has put a pointer there, into the configuration, which lives as
            // long as the filter.
            let metrics = unsafe { &**metrics };
            body(lease, filter.envoy, metrics);
        }
    });
    filter_status::CONTINUE
}

/// The whole stream is over. Envoy calls it for filters before the router only.
///
/// # Safety
///
/// Envoy calls it. Nothing is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_stream_complete(
    _: EnvoyPtr,
    _: ModulePtr,
) {
}

/// A call that a scheduler has asked for.
///
/// # Safety
///
/// Envoy calls it, on the stream's thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_scheduled(
    _: EnvoyPtr,
    filter: ModulePtr,
    event: u64,
) {
    if filter.is_null() {
        return;
    }
    let decided = guarded("on_http_filter_scheduled", None, || {
        // SAFETY: it came from `filter_new`, and Envoy calls a filter's hooks one after the other.
        let filter = unsafe { unique::<Filter>(filter) };
        match &mut filter.kind {
            Kind::Queue(queue, _, metrics) => {
                // SAFETY: the configuration lives as long as the filter.
                let metrics = unsafe { &**metrics };
                Some((queue.called(filter.envoy, event, metrics), filter.envoy))
            }
            Kind::Lease(..) => None,
        }
    });
    // From here on no reference to the filter is held: Envoy may destroy it in these calls.
    match decided {
        Some((Next::Go, envoy)) => {
            envoy.go_on();
            guarded("on_http_filter_scheduled", (), handoff::cancel_reservation);
        }
        Some((Next::Refuse { body, details }, envoy)) => envoy.answer(503, body, details),
        Some((Next::Stay, _)) | None => {}
    }
}

/// The filter's stream is over.
///
/// # Safety
///
/// Envoy calls it once for each filter, on the stream's thread. Envoy's own object lives until it
/// returns, so that its statistics can be used; its stream may be gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_http_filter_destroy(filter: ModulePtr) {
    guarded("on_http_filter_destroy", (), || {
        // SAFETY: it came from `filter_new`, and Envoy uses it no more.
        let Some(mut filter) = (unsafe { take::<Filter>(filter) }) else {
            return;
        };
        match &mut filter.kind {
            Kind::Lease(lease, metrics) => {
                // SAFETY: `filter_new` has put a pointer there, into the configuration, which lives
                // as long as the filter.
                let metrics = unsafe { &**metrics };
                lease.destroy(filter.envoy, metrics);
                handoff::put_back(filter);
            }
            Kind::Queue(queue, _, metrics) => {
                // SAFETY: the configuration lives as long as the filter.
                let metrics = unsafe { &**metrics };
                mem::take(queue).destroy(filter.envoy, metrics);
            }
        }
    });
}
