//! Envoy's side of a balancer: what it shows of a cluster, and its statistics.

use std::collections::HashMap;
use std::ptr;

use crate::abi::callbacks::envoy;
use crate::abi::constants::host_stat;
use crate::abi::types::{EnvoyBuffer, EnvoyPtr, ModuleBuffer};
use crate::seen::{SeenHost, SeenPriority};
use crate::unclaimed::HostCounts;
use crate::worker::Request;

/// A worker's balancer in Envoy. Valid while a hook runs that was given it, on that thread.
#[derive(Clone, Copy)]
pub(super) struct EnvoyLb(EnvoyPtr);

impl EnvoyLb {
    /// # Safety
    ///
    /// Envoy has given the pointer to the hook that runs, and the value is not used after it.
    pub(super) unsafe fn new(lb: EnvoyPtr) -> Self {
        Self(lb)
    }

    pub(super) fn cluster(self) -> String {
        let mut name = EnvoyBuffer::EMPTY;
        // SAFETY: the balancer is valid while the hook runs; Envoy writes to `name`.
        unsafe { (envoy().lb_get_cluster_name)(self.0, &raw mut name) };
        // SAFETY: the name lives as long as the balancer and is copied at once.
        unsafe { name.text() }.to_owned()
    }

    /// All servers, in Envoy's order.
    pub(super) fn priorities(self) -> Vec<SeenPriority> {
        // SAFETY: the balancer is valid while the hook runs.
        let priorities = unsafe { (envoy().lb_get_priority_set_size)(self.0) };
        (0..priorities as u32).map(|it| self.hosts(it)).collect()
    }

    /// Envoy has a list of all hosts and one of the healthy ones. It wants hosts chosen by their
    /// numbers in the second list, and shows weights and statistics by those in the first.
    fn hosts(self, priority: u32) -> SeenPriority {
        // SAFETY: as above.
        let healthy = unsafe { (envoy().lb_get_healthy_hosts_count)(self.0, priority) };
        // SAFETY: as above.
        let all = unsafe { (envoy().lb_get_hosts_count)(self.0, priority) };
        let by_address: HashMap<String, u32> = (0..healthy)
            .filter_map(|index| Some((self.healthy_address(priority, index)?, index as u32)))
            .collect();
        let host = |index| {
            let address = self.address(priority, index)?;
            // SAFETY: as above.
            let weight = unsafe { (envoy().lb_get_host_weight)(self.0, priority, index) };
            Some(SeenHost {
                healthy: by_address.get(&address).copied(),
                address,
                weight: weight.max(1),
            })
        };
        (0..all).map_while(host).collect()
    }

    fn address(self, priority: u32, index: usize) -> Option<String> {
        let mut address = EnvoyBuffer::EMPTY;
        let find = envoy().lb_get_host_address;
        // SAFETY: the balancer is valid while the hook runs; Envoy checks both numbers and writes
        // to `address`.
        let found = unsafe { find(self.0, priority, index, &raw mut address) };
        // SAFETY: the address lives as long as the host, which stays while the hook runs.
        found.then(|| unsafe { address.text() }.to_owned())
    }

    fn healthy_address(self, priority: u32, index: usize) -> Option<String> {
        let mut address = EnvoyBuffer::EMPTY;
        let find = envoy().lb_get_healthy_host_address;
        // SAFETY: as in `address`.
        let found = unsafe { find(self.0, priority, index, &raw mut address) };
        // SAFETY: as in `address`.
        found.then(|| unsafe { address.text() }.to_owned())
    }

    pub(super) fn counts(self, priority: u32, index: usize) -> HostCounts {
        // Read first: a request that ends between the two is counted as under way, and ends later.
        // SAFETY: the balancer is valid while the hook runs, and Envoy checks both numbers.
        let active =
            unsafe { (envoy().lb_get_host_stat)(self.0, priority, index, host_stat::RQ_ACTIVE) };
        // SAFETY: as above.
        let total =
            unsafe { (envoy().lb_get_host_stat)(self.0, priority, index, host_stat::RQ_TOTAL) };
        HostCounts { total, active }
    }
}

/// The request that a host is chosen for. Valid as the balancer is.
pub(super) struct EnvoyRequest {
    lb: EnvoyLb,
    context: EnvoyPtr,
}

impl EnvoyRequest {
    /// # Safety
    ///
    /// As for [`EnvoyLb::new`]. A null context is a request of which nothing is known.
    pub(super) unsafe fn new(lb: EnvoyLb, context: EnvoyPtr) -> Self {
        Self { lb, context }
    }
}

impl Request for EnvoyRequest {
    fn retries(&self) -> u32 {
        if self.context.is_null() {
            return 0;
        }
        // SAFETY: the context is valid while the hook runs.
        unsafe { (envoy().lb_context_get_host_selection_retry_count)(self.context) }
    }

    fn avoids(&self, priority: u32, index: usize) -> bool {
        let ask = envoy().lb_context_should_select_another_host;
        // SAFETY: the balancer and the context are valid while the hook runs, and Envoy checks
        // the rest, a null context included.
        unsafe { ask(self.lb.0, self.context, priority, index) }
    }
}

/// The statistics of a balancer's configuration.
pub(super) struct LbMetrics {
    config: EnvoyPtr,
    pub(super) refused: Option<usize>,
    pub(super) panics: Option<usize>,
    pub(super) servers: Option<usize>,
    pub(super) healthy: Option<usize>,
}

// SAFETY: Envoy's counters and gauges may be changed on every thread; the pointer is used for
// nothing else.
unsafe impl Send for LbMetrics {}
// SAFETY: as above.
unsafe impl Sync for LbMetrics {}

impl LbMetrics {
    /// Defines the statistics, whose names begin with `name`.
    ///
    /// # Safety
    ///
    /// Envoy calls the hook that makes a configuration and gave it this pointer. The value is used
    /// only while the configuration lives.
    pub(super) unsafe fn define(config: EnvoyPtr, name: &str) -> Self {
        let full = |what: &str| format!("{name}.{what}");
        let counter = |what: &str| {
            let (name, mut id) = (full(what), 0);
            let define = envoy().lb_config_define_counter;
            let buffer = ModuleBuffer::of(&name);
            // SAFETY: definitions are allowed while the configuration is made; Envoy copies the
            // name and writes to `id`. There are no labels.
            let result = unsafe { define(config, buffer, ptr::null_mut(), 0, &raw mut id) };
            (result == 0).then_some(id)
        };
        let gauge = |what: &str| {
            let (name, mut id) = (full(what), 0);
            let define = envoy().lb_config_define_gauge;
            let buffer = ModuleBuffer::of(&name);
            // SAFETY: as above.
            let result = unsafe { define(config, buffer, ptr::null_mut(), 0, &raw mut id) };
            (result == 0).then_some(id)
        };
        Self {
            config,
            refused: counter("refused"),
            panics: counter("panics"),
            servers: gauge("servers"),
            healthy: gauge("servers_healthy"),
        }
    }

    pub(super) fn add(&self, counter: Option<usize>) {
        if let Some(id) = counter {
            let add = envoy().lb_config_increment_counter;
            // SAFETY: a balancer keeps its configuration alive, and only its hooks come here. The
            // id is one that Envoy gave for this configuration.
            unsafe { add(self.config, id, ptr::null_mut(), 0, 1) };
        }
    }

    pub(super) fn set(&self, gauge: Option<usize>, value: usize) {
        if let Some(id) = gauge {
            let set = envoy().lb_config_set_gauge;
            // SAFETY: as above.
            unsafe { set(self.config, id, ptr::null_mut(), 0, value as u64) };
        }
    }
}
