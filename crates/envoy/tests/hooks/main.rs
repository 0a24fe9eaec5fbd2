//! The hooks, called as Envoy calls them, by a stand-in for Envoy in this process: worker threads
//! that choose hosts, make filters, end streams at every moment, and see hosts come and go.
//!
//! What is tested is our side of the boundary: that every object is made and destroyed once, that
//! no lease leaks, and that threads do not disturb one another. Under the address sanitizer it is
//! also what finds a pointer that is used too late. `FILCH_HOOK_REQUESTS` is how many requests are
//! made, 20,000 by default.

#![allow(unsafe_code)]

mod envoy;

use std::ptr;
use std::sync::atomic::Ordering;
use std::thread;

use envoy::{Balancer, Stream, buffer, provide};
use filch_envoy::abi::types::ModulePtr;
use filch_envoy::hooks::balancer::{
    envoy_dynamic_module_on_lb_choose_host as choose_host,
    envoy_dynamic_module_on_lb_config_destroy as lb_config_destroy,
    envoy_dynamic_module_on_lb_config_new as lb_config_new,
    envoy_dynamic_module_on_lb_destroy as lb_destroy, envoy_dynamic_module_on_lb_new as lb_new,
    envoy_dynamic_module_on_lb_on_host_membership_update as membership_update,
};
use filch_envoy::hooks::filter::{
    envoy_dynamic_module_on_http_filter_config_destroy as filter_config_destroy,
    envoy_dynamic_module_on_http_filter_config_new as filter_config_new,
    envoy_dynamic_module_on_http_filter_destroy as filter_destroy,
    envoy_dynamic_module_on_http_filter_new as filter_new,
    envoy_dynamic_module_on_http_filter_request_headers as request_headers,
    envoy_dynamic_module_on_http_filter_response_body as response_body,
    envoy_dynamic_module_on_http_filter_response_headers as response_headers,
    envoy_dynamic_module_on_http_filter_response_trailers as response_trailers,
};

const THREADS: usize = 2;

fn requests() -> usize {
    let given = std::env::var("FILCH_HOOK_REQUESTS").ok();
    given.and_then(|it| it.parse().ok()).unwrap_or(20_000)
}

/// A pointer that goes to another thread, as those of a configuration do in Envoy.
#[derive(Clone, Copy)]
struct Shared(ModulePtr);
// SAFETY: configurations are for all threads.
unsafe impl Send for Shared {}

impl Shared {
    fn get(self) -> ModulePtr {
        self.0
    }
}

#[test]
fn requests_leave_nothing_behind() {
    provide();
    serve(r#"{"policy": "idle-fastest(sed)", "tokens": true}"#, true);
    serve("idle-fastest(sed)", false);
}

fn serve(policy: &str, tokens: bool) {
    let (name, policy) = (buffer("hooks"), buffer(policy));
    // SAFETY: as Envoy calls it.
    let lb_config = Shared(unsafe { lb_config_new(ptr::null_mut(), name, policy) });
    assert!(!lb_config.get().is_null());
    // SAFETY: as above.
    let filter_config =
        Shared(unsafe { filter_config_new(ptr::null_mut(), buffer("lease"), buffer("")) });
    assert!(!filter_config.get().is_null());
    let served: Vec<_> = (0..THREADS)
        .map(|number| thread::spawn(move || work(number, lb_config, filter_config, tokens)))
        .collect();
    let served: usize = served.into_iter().map(|it| it.join().unwrap()).sum();
    assert!(served > requests() / 2, "{served}");
    // SAFETY: the last balancer and the last filter are gone.
    unsafe { filter_config_destroy(filter_config.get()) };
    // SAFETY: as above.
    unsafe { lb_config_destroy(lb_config.get()) };
    assert_eq!(envoy::IN_FLIGHT.load(Ordering::SeqCst), 0);
    assert_eq!(filch_envoy::abi::guard::caught(), 0);
}

/// One worker thread: some requests are under way at a time, and they end in every way.
fn work(number: usize, lb_config: Shared, filter_config: Shared, tokens: bool) -> usize {
    let mut envoy = Balancer::new(20);
    // SAFETY: as Envoy calls it.
    let lb = unsafe { lb_new(lb_config.get(), envoy.pointer()) };
    let mut open: Vec<(Box<Stream>, ModulePtr)> = Vec::new();
    let mut dice = number as u64 + 1;
    let mut served = 0;
    for request in 0..requests() / THREADS {
        dice = dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let dice = (dice >> 33) as usize;
        if request % 97 == 0 {
            envoy.change(dice);
            // SAFETY: as Envoy calls it, on this balancer's thread.
            unsafe { membership_update(envoy.pointer(), lb, 1, 1) };
        }
        let (mut priority, mut index) = (u32::MAX, u32::MAX);
        let context = ptr::null_mut();
        let (p, i) = (&raw mut priority, &raw mut index);
        // SAFETY: as above; both numbers may be written to.
        if !unsafe { choose_host(envoy.pointer(), lb, context, p, i) } {
            continue;
        }
        let address = envoy
            .healthy(priority, index)
            .expect("a healthy host of this worker");
        if !dice.is_multiple_of(31) {
            let mut stream = Box::new(Stream::new(address, dice));
            // SAFETY: as Envoy calls it right after a host was chosen.
            let filter = unsafe { filter_new(filter_config.get(), stream.pointer()) };
            // SAFETY: as Envoy calls it.
            unsafe { request_headers(stream.pointer(), filter, true) };
            open.push((stream, filter));
            served += 1;
        } // else: Envoy has given the request up before it was sent
        while open.len() > 15 {
            end(open.swap_remove(dice % open.len()), dice, tokens);
        }
    }
    for (number, stream) in open.into_iter().enumerate() {
        end(stream, number, tokens);
    }
    // SAFETY: as Envoy calls it, once, and no hook of this balancer afterwards.
    unsafe { lb_destroy(lb) };
    served
}

/// A stream ends: with its head, its body or its trailers, or before any of them.
fn end((mut stream, filter): (Box<Stream>, ModulePtr), dice: usize, tokens: bool) {
    let envoy = stream.pointer();
    let way = dice / 7 % 5;
    if way > 0 {
        // SAFETY: as Envoy calls it.
        unsafe { response_headers(envoy, filter, way == 1) };
    }
    if way == 2 || way == 3 {
        // SAFETY: as above.
        unsafe { response_body(envoy, filter, way == 2) };
    }
    if way == 3 {
        // SAFETY: as above.
        unsafe { response_trailers(envoy, filter) };
    }
    // SAFETY: as above, once.
    unsafe { filter_destroy(filter) };
    // What clients see has no token, and what servers see has none of a client's.
    if tokens {
        assert!(way == 0 || stream.token.is_none());
        assert!(!stream.forged);
    }
}
