//! Envoy's side of an HTTP filter: headers, attributes, statistics, and calls from other threads.

use std::mem::MaybeUninit;
use std::ptr;

use filch_balance::{TOKEN_HEADER, Told};

use crate::abi::callbacks::envoy;
use crate::abi::constants::{attribute, header_type};
use crate::abi::types::{EnvoyBuffer, EnvoyHeader, EnvoyPtr, ModuleBuffer};

/// So many headers are looked at without memory from the heap.
const FEW_HEADERS: usize = 64;

/// The header that has the status of an answer.
const STATUS: &str = ":status";

/// A filter in Envoy. Valid while a hook runs that was given it, on that thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnvoyFilter(EnvoyPtr);

impl EnvoyFilter {
    /// No filter of Envoy yet. Nothing is asked of it.
    pub(super) const NONE: Self = Self(ptr::null_mut());

    /// # Safety
    ///
    /// Envoy has given the pointer to a hook of a filter that is not destroyed yet, and the value
    /// is used on that filter's thread only.
    pub(super) unsafe fn new(filter: EnvoyPtr) -> Self {
        Self(filter)
    }

    /// The address of the host that an upstream request goes to, if this is one.
    pub(crate) fn upstream_address<T>(self, with: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let mut address = EnvoyBuffer::EMPTY;
        let find = envoy().http_filter_get_attribute_string;
        // SAFETY: the filter is valid, and Envoy writes to `address`.
        let found = unsafe { find(self.0, attribute::UPSTREAM_ADDRESS, &raw mut address) };
        if !found {
            return None;
        }
        // SAFETY: the address lives as long as the host, which the request holds; `with` keeps
        // nothing of it.
        with(unsafe { address.bytes() })
    }

    /// Removes the token's header from the request: servers do not send it, clients may.
    pub(crate) fn remove_forged_token(self) {
        let mut forged = false;
        self.each_header(header_type::REQUEST, [TOKEN_HEADER], |_, _| {
            forged = true;
        });
        if forged {
            self.remove(header_type::REQUEST);
        }
    }

    /// The status of the answer. What the answer says about its server is written to `told`, and
    /// goes no further.
    pub(crate) fn take_answer(self, told: &mut Told) -> Option<u16> {
        let (mut status, mut tokens) = (None, 0);
        *told = Told::Silent;
        self.each_header(
            header_type::RESPONSE,
            [STATUS, TOKEN_HEADER],
            |name, value| {
                if name == STATUS {
                    status = status_of(value);
                } else {
                    tokens += 1;
                    *told = Told::read(Some(value));
                }
            },
        );
        if tokens > 0 {
            self.remove(header_type::RESPONSE);
        }
        // A header that occurs twice counts as none: one of the two is not from the server.
        if tokens > 1 {
            *told = Told::Silent;
        }
        status
    }

    /// The status of the answer. For headers that begin with a colon Envoy has places of their own,
    /// so that it makes no map of all headers to find this one.
    pub(crate) fn status(self) -> Option<u16> {
        let mut value = EnvoyBuffer::EMPTY;
        let find = envoy().http_get_header;
        let (headers, name) = (header_type::RESPONSE, ModuleBuffer::of(STATUS));
        // SAFETY: the filter is valid and the name lives until the call returns. Envoy writes to
        // `value`, and a null count means that it is not asked for.
        if !unsafe { find(self.0, headers, name, &raw mut value, 0, ptr::null_mut()) } {
            return None;
        }
        // SAFETY: values live until the headers change, and nothing of this one is kept.
        status_of(unsafe { value.bytes() })
    }

    /// Shows `see` each header that has one of these names, and its value.
    ///
    /// To look one header up, Envoy makes a map of all of them, unless there are one or two; to
    /// show them all it makes none.
    #[inline]
    fn each_header<const N: usize>(
        self,
        headers: u32,
        names: [&'static str; N],
        mut see: impl FnMut(&'static str, &[u8]),
    ) {
        // SAFETY: the filter is valid.
        let count = unsafe { (envoy().http_get_headers_size)(self.0, headers) };
        let mut few = [const { MaybeUninit::<EnvoyHeader>::uninit() }; FEW_HEADERS];
        let mut many;
        let room = if let Some(few) = few.get_mut(..count) {
            few
        } else {
            many = Box::new_uninit_slice(count);
            &mut many[..]
        };
        let show = envoy().http_get_headers;
        // SAFETY: the filter is valid, and there is room for as many headers as Envoy has counted.
        if !unsafe { show(self.0, headers, room.as_mut_ptr().cast()) } {
            return;
        }
        for header in room {
            // SAFETY: Envoy has written all of them, since it returned true.
            let EnvoyHeader { key, value } = unsafe { header.assume_init_ref() };
            for name in names {
                // Most names are of another length, and are not read.
                // SAFETY: names and values live until the headers change, which `see` does not do;
                // it keeps nothing of them.
                if key.length == name.len() && unsafe { key.bytes() } == name.as_bytes() {
                    // SAFETY: as above.
                    see(name, unsafe { value.bytes() });
                }
            }
        }
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

/// A status is three digits.
fn status_of(value: &[u8]) -> Option<u16> {
    let digit = |digit: u8| u16::from(digit - b'0');
    match *value {
        [a @ b'0'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] => {
            Some(100 * digit(a) + 10 * digit(b) + digit(c))
        }
        _ => None,
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

    /// Adds to a counter.
    pub(crate) fn count(&self, filter: EnvoyFilter, counter: usize, more: u64) {
        if let Some(id) = self.counters[counter] {
            let add = envoy().http_filter_increment_counter;
            // SAFETY: the filter is valid and keeps its configuration alive, which gave the id.
            unsafe { add(filter.0, id, ptr::null_mut(), 0, more) };
        }
    }

    /// Adds to a gauge.
    pub(crate) fn up(&self, filter: EnvoyFilter, gauge: usize, more: u64) {
        if let Some(id) = self.gauges[gauge] {
            let add = envoy().http_filter_increment_gauge;
            // SAFETY: as above.
            unsafe { add(filter.0, id, ptr::null_mut(), 0, more) };
        }
    }

    /// Takes from a gauge.
    pub(crate) fn down(&self, filter: EnvoyFilter, gauge: usize, less: u64) {
        if let Some(id) = self.gauges[gauge] {
            let subtract = envoy().http_filter_decrement_gauge;
            // SAFETY: as above.
            unsafe { subtract(filter.0, id, ptr::null_mut(), 0, less) };
        }
    }
}
