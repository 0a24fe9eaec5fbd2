//! The hooks of the load-balancing policy.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::ptr;
use std::sync::Arc;

use filch_random::Seed;

use super::boxed::{give, shared, take, unique};
use super::envoy_lb::{EnvoyLb, EnvoyRequest, LbMetrics};
use crate::abi::guard::guarded;
use crate::abi::log;
use crate::abi::types::{EnvoyBuffer, EnvoyPtr, ModulePtr};
use crate::cluster::Cluster;
use crate::config::Config;
use crate::worker::Worker;

/// A configuration, and where its statistics go.
struct LbConfig {
    config: Config,
    metrics: Arc<LbMetrics>,
}

/// A balancer of one worker thread.
struct Lb {
    worker: Worker,
    metrics: Arc<LbMetrics>,
}

/// Understands a configuration, or refuses it with a line in Envoy's log.
///
/// # Safety
///
/// Envoy calls it: the buffers are readable until it returns, and the pointer is the
/// configuration's until `envoy_dynamic_module_on_lb_config_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_lb_config_new(
    config_envoy: EnvoyPtr,
    name: EnvoyBuffer,
    config: EnvoyBuffer,
) -> ModulePtr {
    guarded("on_lb_config_new", ptr::null(), || {
        // SAFETY: readable until the hook returns.
        let name = unsafe { name.text() };
        // SAFETY: as above.
        let text = unsafe { config.text() };
        match Config::read(text) {
            Ok(config) => {
                let name = if name.is_empty() { "filch" } else { name };
                // SAFETY: Envoy makes a configuration just now, and every balancer keeps it alive.
                let metrics = unsafe { LbMetrics::define(config_envoy, name) };
                let metrics = Arc::new(metrics);
                give(LbConfig { config, metrics })
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
/// Envoy calls it once for each configuration, after the last balancer of it is gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_lb_config_destroy(config: ModulePtr) {
    guarded("on_lb_config_destroy", (), || {
        // SAFETY: it came from `on_lb_config_new`, and Envoy uses it no more.
        drop(unsafe { take::<LbConfig>(config) });
    });
}

/// Makes the balancer of one worker thread.
///
/// # Safety
///
/// Envoy calls it, with a configuration that lives as long as the balancer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_lb_new(
    config: ModulePtr,
    lb: EnvoyPtr,
) -> ModulePtr {
    guarded("on_lb_new", ptr::null(), || {
        // SAFETY: it came from `on_lb_config_new` and is not destroyed while balancers live. It is
        // shared by the worker threads.
        let config: &LbConfig = unsafe { shared(config) };
        // SAFETY: Envoy has given the pointer to this hook.
        let envoy = unsafe { EnvoyLb::new(lb) };
        let cluster = Cluster::named(&envoy.cluster(), &config.config);
        let seed = Seed::new(RandomState::new().build_hasher().finish());
        let mut lb = Lb {
            worker: Worker::new(cluster, seed),
            metrics: config.metrics.clone(),
        };
        // Envoy calls the hook for changes only.
        lb.see(envoy);
        give(lb)
    })
}

/// Ends the balancer of one worker thread.
///
/// # Safety
///
/// Envoy calls it once for each balancer, on its thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_lb_destroy(lb: ModulePtr) {
    guarded("on_lb_destroy", (), || {
        // SAFETY: it came from `on_lb_new`, and Envoy uses it no more.
        drop(unsafe { take::<Lb>(lb) });
    });
}

/// Hosts have come or gone, or their health or weights have changed.
///
/// # Safety
///
/// Envoy calls it, on the balancer's thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_lb_on_host_membership_update(
    lb_envoy: EnvoyPtr,
    lb: ModulePtr,
    _added: usize,
    _removed: usize,
) {
    guarded("on_lb_on_host_membership_update", (), || {
        // SAFETY: it came from `on_lb_new`; Envoy calls a balancer's hooks one after the other.
        let lb: &mut Lb = unsafe { unique(lb) };
        // SAFETY: Envoy has given the pointer to this hook.
        lb.see(unsafe { EnvoyLb::new(lb_envoy) });
    });
}

/// Chooses a host. False if there is none, and Envoy answers 503.
///
/// # Safety
///
/// Envoy calls it, on the balancer's thread; the two numbers may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn envoy_dynamic_module_on_lb_choose_host(
    lb_envoy: EnvoyPtr,
    lb: ModulePtr,
    context: EnvoyPtr,
    priority: *mut u32,
    index: *mut u32,
) -> bool {
    // SAFETY: it came from `on_lb_new`; Envoy calls a balancer's hooks one after the other.
    let lb: &mut Lb = unsafe { unique(lb) };
    // SAFETY: Envoy has given both pointers to this hook.
    let envoy = unsafe { EnvoyLb::new(lb_envoy) };
    // SAFETY: as above.
    let request = unsafe { EnvoyRequest::new(envoy, context) };
    let worker = &mut lb.worker;
    let decided = guarded("on_lb_choose_host", Decided::Panicked, || {
        worker.settle(|priority, index| envoy.counts(priority, index));
        let Ok(choice) = worker.choose(&request) else {
            return Decided::Refused;
        };
        // SAFETY: Envoy gave a pointer to a number that it reads after the hook.
        unsafe { priority.write(choice.priority) };
        // SAFETY: as above.
        unsafe { index.write(choice.index) };
        Decided::Chosen
    });
    match decided {
        Decided::Chosen => return true,
        Decided::Refused => lb.metrics.add(lb.metrics.refused),
        Decided::Panicked => lb.metrics.add(lb.metrics.panics),
    }
    false
}

/// How a decision ended.
#[derive(Clone, Copy)]
enum Decided {
    Chosen,
    Refused,
    Panicked,
}

impl Lb {
    fn see(&mut self, envoy: EnvoyLb) {
        self.worker.see(&envoy.priorities());
        let (servers, healthy) = self.worker.servers();
        self.metrics.set(self.metrics.servers, servers);
        self.metrics.set(self.metrics.healthy, healthy);
    }
}
