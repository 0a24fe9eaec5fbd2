//! A stand-in for Envoy: its functions, for objects of this process.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicI64, Ordering};

use filch_balance::TOKEN_HEADER;
use filch_envoy::abi::callbacks::{self, Callbacks};
use filch_envoy::abi::types::{
    Enum, EnvoyBuffer, EnvoyHeader, EnvoyPtr, ModuleBuffer, ModuleHeader,
};

/// The gauge of leases that are out.
pub(crate) static IN_FLIGHT: AtomicI64 = AtomicI64::new(0);

/// A worker's balancer: two priorities with some hosts each, of which some are healthy.
pub(crate) struct Balancer {
    priorities: Vec<Vec<(String, bool)>>,
}

impl Balancer {
    pub(crate) fn new(hosts: usize) -> Box<Self> {
        let hosts = |priority: usize| {
            let host = move |number| (format!("10.{priority}.0.{number}:80"), true);
            (0..hosts).map(host).collect()
        };
        Box::new(Self {
            priorities: vec![hosts(0), hosts(1)],
        })
    }

    pub(crate) fn pointer(&mut self) -> EnvoyPtr {
        ptr::from_mut(self).cast()
    }

    /// A host leaves, comes, or changes its health.
    pub(crate) fn change(&mut self, dice: usize) {
        let hosts = &mut self.priorities[dice / 3 % 2];
        let at = dice / 6 % hosts.len();
        match dice % 3 {
            0 if hosts.len() > 3 => drop(hosts.remove(at)),
            0 | 1 => hosts.push((format!("10.9.{}.{}:80", dice / 250 % 250, dice % 250), true)),
            _ => hosts[at].1 = !hosts[at].1,
        }
        hosts.sort();
        hosts.dedup_by(|one, other| one.0 == other.0);
        hosts.truncate(40);
    }

    pub(crate) fn healthy(&self, priority: u32, index: u32) -> Option<&str> {
        let hosts = self.priorities.get(priority as usize)?;
        let mut healthy = hosts.iter().filter(|(_, healthy)| *healthy);
        healthy.nth(index as usize).map(|(address, _)| &**address)
    }
}

/// An upstream request.
pub(crate) struct Stream {
    address: String,
    /// What the answer says about its server.
    pub(crate) token: Option<&'static str>,
    status: &'static str,
    /// Whether the request has the token's header.
    pub(crate) forged: bool,
}

impl Stream {
    pub(crate) fn new(address: &str, dice: usize) -> Self {
        Self {
            address: address.to_owned(),
            token: [
                None,
                Some("idle"),
                Some("busy;boot=1;n=7"),
                Some("nonsense"),
            ][dice / 5 % 4],
            status: ["200", "404", "503", "?"][dice / 20 % 4],
            forged: true,
        }
    }

    pub(crate) fn pointer(&mut self) -> EnvoyPtr {
        ptr::from_mut(self).cast()
    }
}

pub(crate) fn buffer(text: &str) -> EnvoyBuffer {
    EnvoyBuffer {
        ptr: text.as_ptr().cast(),
        length: text.len(),
    }
}

fn lb<'a>(pointer: *mut c_void) -> &'a Balancer {
    // SAFETY: the test passes pointers to balancers that live until their hooks return.
    unsafe { &*pointer.cast() }
}

fn stream<'a>(pointer: *mut c_void) -> &'a mut Stream {
    // SAFETY: the test passes pointers to streams that live until their hooks return.
    unsafe { &mut *pointer.cast() }
}

fn write<T>(to: *mut T, value: T) {
    // SAFETY: the module passes pointers to variables of its own.
    unsafe { to.write(value) };
}

unsafe extern "C" fn log(_: Enum, _: ModuleBuffer) {}

unsafe extern "C" fn cluster_name(_: EnvoyPtr, result: *mut EnvoyBuffer) {
    write(result, buffer("hooks"));
}

unsafe extern "C" fn priorities(pointer: EnvoyPtr) -> usize {
    lb(pointer).priorities.len()
}

unsafe extern "C" fn hosts(pointer: EnvoyPtr, priority: u32) -> usize {
    lb(pointer).priorities[priority as usize].len()
}

unsafe extern "C" fn healthy_hosts(pointer: EnvoyPtr, priority: u32) -> usize {
    let hosts = &lb(pointer).priorities[priority as usize];
    hosts.iter().filter(|(_, healthy)| *healthy).count()
}

unsafe extern "C" fn host_address(
    pointer: EnvoyPtr,
    priority: u32,
    index: usize,
    result: *mut EnvoyBuffer,
) -> bool {
    let found = lb(pointer).priorities[priority as usize].get(index);
    write(
        result,
        found.map_or(EnvoyBuffer::EMPTY, |(address, _)| buffer(address)),
    );
    found.is_some()
}

unsafe extern "C" fn healthy_address(
    pointer: EnvoyPtr,
    priority: u32,
    index: usize,
    result: *mut EnvoyBuffer,
) -> bool {
    let found = lb(pointer).healthy(priority, index as u32);
    write(result, found.map_or(EnvoyBuffer::EMPTY, buffer));
    found.is_some()
}

unsafe extern "C" fn weight(_: EnvoyPtr, _: u32, index: usize) -> u32 {
    index as u32 % 3 + 1
}

unsafe extern "C" fn host_stat(_: EnvoyPtr, _: u32, _: usize, _: Enum) -> u64 {
    0
}

unsafe extern "C" fn retry_count(_: EnvoyPtr) -> u32 {
    1
}

unsafe extern "C" fn select_another(_: EnvoyPtr, _: EnvoyPtr, _: u32, _: usize) -> bool {
    false
}

/// Counters and gauges are numbered by the lengths of their names, of which one is looked at.
unsafe extern "C" fn define(
    _: EnvoyPtr,
    name: ModuleBuffer,
    _: *mut ModuleBuffer,
    _: usize,
    id: *mut usize,
) -> Enum {
    write(id, name.length);
    0
}

unsafe extern "C" fn count(_: EnvoyPtr, _: usize, _: *mut ModuleBuffer, _: usize, _: u64) -> Enum {
    0
}

unsafe extern "C" fn up(_: EnvoyPtr, _: usize, _: *mut ModuleBuffer, _: usize, value: u64) -> Enum {
    IN_FLIGHT.fetch_add(value as i64, Ordering::SeqCst);
    0
}

unsafe extern "C" fn down(
    _: EnvoyPtr,
    _: usize,
    _: *mut ModuleBuffer,
    _: usize,
    value: u64,
) -> Enum {
    IN_FLIGHT.fetch_sub(value as i64, Ordering::SeqCst);
    0
}

/// The headers of the request, or of the answer.
fn headers(stream: &Stream, kind: Enum) -> Vec<(&'static str, &'static str)> {
    if kind == 0 {
        let path = [(":path", "/"), (":method", "GET")];
        let forged = stream.forged.then_some((TOKEN_HEADER, "idle"));
        path.into_iter().chain(forged).collect()
    } else {
        let token = stream.token.map(|value| (TOKEN_HEADER, value));
        token
            .into_iter()
            .chain([(":status", stream.status)])
            .collect()
    }
}

unsafe extern "C" fn headers_size(pointer: EnvoyPtr, kind: Enum) -> usize {
    headers(stream(pointer), kind).len()
}

unsafe extern "C" fn get_headers(
    pointer: EnvoyPtr,
    kind: Enum,
    mut result: *mut EnvoyHeader,
) -> bool {
    for (name, value) in headers(stream(pointer), kind) {
        let (key, value) = (buffer(name), buffer(value));
        write(result, EnvoyHeader { key, value });
        // SAFETY: the module has room for as many headers as it was told that there are.
        result = unsafe { result.add(1) };
    }
    true
}

unsafe extern "C" fn get_header(
    pointer: EnvoyPtr,
    kind: Enum,
    name: ModuleBuffer,
    result: *mut EnvoyBuffer,
    index: usize,
    count: *mut usize,
) -> bool {
    // SAFETY: the module passes a name that it reads itself.
    let name = unsafe { std::slice::from_raw_parts(name.ptr.cast::<u8>(), name.length) };
    assert!(index == 0 && count.is_null());
    let headers = headers(stream(pointer), kind);
    let found = headers.iter().find(|it| it.0.as_bytes() == name);
    write(result, found.map_or(EnvoyBuffer::EMPTY, |it| buffer(it.1)));
    found.is_some()
}

unsafe extern "C" fn set_header(
    pointer: EnvoyPtr,
    kind: Enum,
    _: ModuleBuffer,
    value: ModuleBuffer,
) -> bool {
    assert!(value.ptr.is_null(), "the module only removes headers");
    let stream = stream(pointer);
    if kind == 0 {
        stream.forged = false;
    } else {
        stream.token = None;
    }
    true
}

unsafe extern "C" fn attribute(pointer: EnvoyPtr, _: Enum, result: *mut EnvoyBuffer) -> bool {
    write(result, buffer(&stream(pointer).address));
    true
}

unsafe extern "C" fn send_response(
    _: EnvoyPtr,
    _: u32,
    _: *mut ModuleHeader,
    _: usize,
    _: ModuleBuffer,
    _: ModuleBuffer,
) {
}

unsafe extern "C" fn nothing(_: EnvoyPtr) {}

unsafe extern "C" fn scheduler_new(pointer: EnvoyPtr) -> EnvoyPtr {
    pointer
}

unsafe extern "C" fn scheduler_commit(_: EnvoyPtr, _: u64) {}

/// Gives the module these functions.
pub(crate) fn provide() {
    callbacks::provide(Callbacks {
        log,
        lb_get_cluster_name: cluster_name,
        lb_get_priority_set_size: priorities,
        lb_get_hosts_count: hosts,
        lb_get_healthy_hosts_count: healthy_hosts,
        lb_get_host_address: host_address,
        lb_get_healthy_host_address: healthy_address,
        lb_get_host_weight: weight,
        lb_get_host_stat: host_stat,
        lb_context_get_host_selection_retry_count: retry_count,
        lb_context_should_select_another_host: select_another,
        lb_config_define_counter: define,
        lb_config_increment_counter: count,
        lb_config_define_gauge: define,
        lb_config_set_gauge: count,
        http_get_headers_size: headers_size,
        http_get_headers: get_headers,
        http_get_header: get_header,
        http_set_header: set_header,
        http_filter_get_attribute_string: attribute,
        http_send_response: send_response,
        http_filter_continue_decoding: nothing,
        http_filter_scheduler_new: scheduler_new,
        http_filter_scheduler_commit: scheduler_commit,
        http_filter_scheduler_delete: nothing,
        http_filter_config_define_counter: define,
        http_filter_increment_counter: count,
        http_filter_config_define_gauge: define,
        http_filter_increment_gauge: up,
        http_filter_decrement_gauge: down,
    });
}
