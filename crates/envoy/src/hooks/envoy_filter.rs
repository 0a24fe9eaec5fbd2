//! Envoy's side of an HTTP filter: headers, attributes, statistics, and calls from other threads.

use std::ptr;

use filch_balance::{TOKEN_HEADER, Told};

use crate::abi::callbacks::envoy;
use crate::abi::constants::{attribute, header_type};
use crate::abi::types::{EnvoyBuffer, EnvoyPtr, ModuleBuffer};

/// A filter in Envoy. Valid while a hook runs that was given it, on that thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnvoyFilter(EnvoyPtr);

impl EnvoyFilter {
    /// # Safety
    ///
    /// Envoy has given the pointer to a hook of a filter that is not destroyed yet, and the value
    /// is used on that filter's thread only.
    pub(super) unsafe fn new(filter: EnvoyPtr) -> Self {
        Self(filter)
    }

    /// The address of the host that an upstream request goes to, if this is one.
    pub(crate) fn upstream_address<T>(self, with: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let mut address = EnvoyBuffer::EMPTY;
        let find = envoy().http_filter_get_attribute_string;
        // SAFETY: the filter is valid, and Envoy writes to `address`.
        let found = unsafe { find(self.0, attribute::UPSTREAM_ADDRESS, &raw mut address) };
        if !found {
            return None;
        }
        // SAFETY: the address lives as long as the host, which the request holds; `with` keeps
        // nothing of it.
        with(unsafe { address.text() })
    }

    /// Removes the token's header from the request: servers do not send it, clients may.
    pub(crate) fn remove_forged_token(self) {
        self.remove(header_type::REQUEST);
    }

    /// The status of the answer.
    pub(crate) fn status(self) -> Option<u16> {
        self.response_header(":status", |value, _| {
            std::str::from_utf8(value).ok()?.parse().ok()
        })?
    }

    /// What the answer says about its server. The header goes no further.
    pub(crate) fn take_token(self) -> Told {
        // A header that occurs twice counts as none: one of the two is not from the server.
        let read = |value: &[u8], count| Told::read((count == 1).then_some(value));
        let told = self.response_header(TOKEN_HEADER, read);
        if told.is_some() {
            self.remove(header_type::RESPONSE);
        }
        told.unwrap_or(Told::Silent)
    }

    /// The first header of this name, and how many there are.
    fn response_header<T>(self, name: &str, with: impl FnOnce(&[u8], usize) -> T) -> Option<T> {
        let (mut value, mut count) = (EnvoyBuffer::EMPTY, 0);
        let (name, response) = (ModuleBuffer::of(name), header_type::RESPONSE);
        let find = envoy().http_get_header;
        // SAFETY: the filter is valid, the name lives until the call returns, and Envoy writes to
        // `value` and `count`.
        let found = unsafe { find(self.0, response, name, &raw mut value, 0, &raw mut count) };
        // SAFETY: the value lives until the headers change; `with` changes none and keeps nothing.
        found.then(|| with(unsafe { value.bytes() }, count))
    }

    fn remove(self, headers: u32) {
        let name = ModuleBuffer::of(TOKEN_HEADER);
        // SAFETY: the filter is valid and the name lives until the call returns. No value means
        // that the header is removed.
        unsafe { (envoy().http_set_header)(self.0, headers, name, ModuleBuffer::NONE) };
    }

    pub(crate) fn scheduler(self) -> Scheduler {
        // SAFETY: the filter is valid. What is made lives until it is deleted.
        Scheduler(unsafe { (envoy().http_filter_scheduler_new)(self.0) })
    }

    /// Goes on with a request that was stopped. The filter may be gone when this returns.
    pub(crate) fn go_on(self) {
        // SAFETY: the filter is valid, and the caller holds no reference to the module's part.
        unsafe { (envoy().http_filter_continue_decoding)(self.0) };
    }

    /// Answers the request here. The filter may be gone when this returns.
    pub(crate) fn answer(self, status: u32, body: &str, details: &str) {
        let (body, details) = (ModuleBuffer::of(body), ModuleBuffer::of(details));
        // SAFETY: as above; Envoy copies both texts, and there are no headers.
        unsafe { (envoy().http_send_response)(self.0, status, ptr::null_mut(), 0, body, details) };
    }
}

/// Calls a filter's hook on its own thread, from any thread.
#[derive(Debug)]
pub(crate) struct Scheduler(EnvoyPtr);

// SAFETY: the ABI says that a scheduler is for use on any thread.
unsafe impl Send for Scheduler {}
// SAFETY: it may be used by several threads at once: it does not change.
unsafe impl Sync for Scheduler {}

impl Scheduler {
    /// Has the hook called, unless the filter is gone.
    pub(crate) fn call(&self, event: u64) {
        // SAFETY: the scheduler has not been deleted, and it knows whether its filter is gone.
        unsafe { (envoy().http_filter_scheduler_commit)(self.0, event) };
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        // SAFETY: it came from `scheduler_new` and is used no more.
        unsafe { (envoy().http_filter_scheduler_delete)(self.0) };
    }
}

/// The statistics of a filter's configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterMetrics<const N: usize, const G: usize> {
    counters: [Option<usize>; N],
    gauges: [Option<usize>; G],
}

impl<const N: usize, const G: usize> FilterMetrics<N, G> {
    /// Defines counters and gauges.
    ///
    /// # Safety
    ///
    /// Envoy calls the hook that makes a configuration and gave it this pointer.
    pub(super) unsafe fn define(config: EnvoyPtr, counters: [&str; N], gauges: [&str; G]) -> Self {
        let counter = |name: &str| {
            let (name, mut id) = (format!("filch.{name}"), 0);
            let define = envoy().http_filter_config_define_counter;
            let buffer = ModuleBuffer::of(&name);
            // SAFETY: definitions are allowed while the configuration is made; Envoy copies the
            // name and writes to `id`. There are no labels.
            let result = unsafe { define(config, buffer, ptr::null_mut(), 0, &raw mut id) };
            (result == 0).then_some(id)
        };
        let gauge = |name: &str| {
            let (name, mut id) = (format!("filch.{name}"), 0);
            let define = envoy().http_filter_config_define_gauge;
            let buffer = ModuleBuffer::of(&name);
            // SAFETY: as above.
            let result = unsafe { define(config, buffer, ptr::null_mut(), 0, &raw mut id) };
            (result == 0).then_some(id)
        };
        Self {
            counters: counters.map(counter),
            gauges: gauges.map(gauge),
        }
    }

    /// Adds one to a counter.
    pub(crate) fn count(&self, filter: EnvoyFilter, counter: usize) {
        if let Some(id) = self.counters[counter] {
            let add = envoy().http_filter_increment_counter;
            // SAFETY: the filter is valid and keeps its configuration alive, which gave the id.
            unsafe { add(filter.0, id, ptr::null_mut(), 0, 1) };
        }
    }

    /// Adds one to a gauge.
    pub(crate) fn up(&self, filter: EnvoyFilter, gauge: usize) {
        if let Some(id) = self.gauges[gauge] {
            // SAFETY: as above.
            unsafe { (envoy().http_filter_increment_gauge)(filter.0, id, ptr::null_mut(), 0, 1) };
        }
    }

    /// Takes one from a gauge.
    pub(crate) fn down(&self, filter: EnvoyFilter, gauge: usize) {
        if let Some(id) = self.gauges[gauge] {
            // SAFETY: as above.
            unsafe { (envoy().http_filter_decrement_gauge)(filter.0, id, ptr::null_mut(), 0, 1) };
        }
    }
}
