//! The functions of Envoy that the module calls.
//!
//! They are looked up by name when Envoy initialises the module, not linked. So a module that meets
//! an Envoy without one of them can say which, and tests and benchmarks link without an Envoy.

use std::ffi::CString;
use std::fmt;
use std::sync::OnceLock;

use super::types::{Enum, EnvoyBuffer, EnvoyHeader, EnvoyPtr, ModuleBuffer, ModuleHeader};

/// What the names of Envoy's functions begin with.
pub const PREFIX: &str = "envoy_dynamic_module_callback_";

/// Declares the table: a field, a look-up and a line of [`SIGNATURES`] for each function.
macro_rules! callbacks {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        /// Envoy's functions.
        #[derive(Clone, Copy)]
        pub struct Callbacks {
            $($(#[$doc])* pub $name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
        }

        impl Callbacks {
            /// Looks all functions up in this process.
            #[allow(unsafe_code)]
            fn find() -> Result<Self, Missing> {
                Ok(Self {
                    $($name: {
                        let found = symbol(stringify!($name))?;
                        // SAFETY: the header declares the function of this name with this
                        // signature (`tests/abi.rs` compares the two), and a pointer to a
                        // function has the size of a pointer to data on every system that has
                        // `dlsym`.
                        unsafe {
                            std::mem::transmute::<
                                *mut libc::c_void,
                                unsafe extern "C" fn($($type),*) $(-> $result)?,
                            >(found)
                        }
                    },)*
                })
            }
        }

        /// The names of the functions, without their prefix, and their types as written here.
        pub const SIGNATURES: &[(&str, &str)] = &[
            $((stringify!($name), stringify!(fn($($type),*) $(-> $result)?)),)*
        ];
    };
}

callbacks! {
    /// Writes a line to Envoy's log.
    fn log(level: Enum, message: ModuleBuffer);

    /// The name of the balancer's cluster.
    fn lb_get_cluster_name(lb: EnvoyPtr, result: *mut EnvoyBuffer);
    /// How many priorities there are.
    fn lb_get_priority_set_size(lb: EnvoyPtr) -> usize;
    /// How many hosts a priority has.
    fn lb_get_hosts_count(lb: EnvoyPtr, priority: u32) -> usize;
    /// How many healthy hosts a priority has.
    fn lb_get_healthy_hosts_count(lb: EnvoyPtr, priority: u32) -> usize;
    /// The address of a host.
    fn lb_get_host_address(lb: EnvoyPtr, priority: u32, index: usize, result: *mut EnvoyBuffer) -> bool;
    /// The address of a healthy host.
    fn lb_get_healthy_host_address(lb: EnvoyPtr, priority: u32, index: usize, result: *mut EnvoyBuffer) -> bool;
    /// The weight of a host.
    fn lb_get_host_weight(lb: EnvoyPtr, priority: u32, index: usize) -> u32;
    /// A statistic of a host.
    fn lb_get_host_stat(lb: EnvoyPtr, priority: u32, index: usize, stat: Enum) -> u64;
    /// How often a request may be given another host before it is sent.
    fn lb_context_get_host_selection_retry_count(context: EnvoyPtr) -> u32;
    /// Whether the request is not to go to this host, because of where it has been.
    fn lb_context_should_select_another_host(lb: EnvoyPtr, context: EnvoyPtr, priority: u32, index: usize) -> bool;
    /// Defines a counter of a balancer's configuration.
    fn lb_config_define_counter(config: EnvoyPtr, name: ModuleBuffer, labels: *mut ModuleBuffer, labels_length: usize, id: *mut usize) -> Enum;
    /// Adds to a counter.
    fn lb_config_increment_counter(config: EnvoyPtr, id: usize, labels: *mut ModuleBuffer, labels_length: usize, value: u64) -> Enum;
    /// Defines a gauge of a balancer's configuration.
    fn lb_config_define_gauge(config: EnvoyPtr, name: ModuleBuffer, labels: *mut ModuleBuffer, labels_length: usize, id: *mut usize) -> Enum;
    /// Sets a gauge.
    fn lb_config_set_gauge(config: EnvoyPtr, id: usize, labels: *mut ModuleBuffer, labels_length: usize, value: u64) -> Enum;

    /// How many headers a stream has.
    fn http_get_headers_size(filter: EnvoyPtr, header_type: Enum) -> usize;
    /// All headers of a stream, as many as it has.
    fn http_get_headers(filter: EnvoyPtr, header_type: Enum, headers: *mut EnvoyHeader) -> bool;
    /// One value of a header of a stream, and how many there are.
    fn http_get_header(filter: EnvoyPtr, header_type: Enum, key: ModuleBuffer, result: *mut EnvoyBuffer, index: usize, count: *mut usize) -> bool;
    /// Replaces a header of a stream, or removes it if there is no value.
    fn http_set_header(filter: EnvoyPtr, header_type: Enum, key: ModuleBuffer, value: ModuleBuffer) -> bool;
    /// An attribute of a stream.
    fn http_filter_get_attribute_string(filter: EnvoyPtr, attribute: Enum, result: *mut EnvoyBuffer) -> bool;
    /// Answers a request here.
    fn http_send_response(filter: EnvoyPtr, status: u32, headers: *mut ModuleHeader, headers_length: usize, body: ModuleBuffer, details: ModuleBuffer);
    /// Goes on with a request that was stopped.
    fn http_filter_continue_decoding(filter: EnvoyPtr);
    /// Makes a scheduler, which may be used on any thread.
    fn http_filter_scheduler_new(filter: EnvoyPtr) -> EnvoyPtr;
    /// Has the filter's hook called on its own thread.
    fn http_filter_scheduler_commit(scheduler: EnvoyPtr, event: u64);
    /// Ends a scheduler.
    fn http_filter_scheduler_delete(scheduler: EnvoyPtr);
    /// Defines a counter of a filter's configuration.
    fn http_filter_config_define_counter(config: EnvoyPtr, name: ModuleBuffer, labels: *mut ModuleBuffer, labels_length: usize, id: *mut usize) -> Enum;
    /// Adds to a counter.
    fn http_filter_increment_counter(filter: EnvoyPtr, id: usize, labels: *mut ModuleBuffer, labels_length: usize, value: u64) -> Enum;
    /// Defines a gauge of a filter's configuration.
    fn http_filter_config_define_gauge(config: EnvoyPtr, name: ModuleBuffer, labels: *mut ModuleBuffer, labels_length: usize, id: *mut usize) -> Enum;
    /// Adds to a gauge.
    fn http_filter_increment_gauge(filter: EnvoyPtr, id: usize, labels: *mut ModuleBuffer, labels_length: usize, value: u64) -> Enum;
    /// Subtracts from a gauge.
    fn http_filter_decrement_gauge(filter: EnvoyPtr, id: usize, labels: *mut ModuleBuffer, labels_length: usize, value: u64) -> Enum;
}

/// A function that this process does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing(&'static str);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this Envoy has no {PREFIX}{}", self.0)
    }
}

fn symbol(name: &'static str) -> Result<*mut libc::c_void, Missing> {
    let full = CString::new([PREFIX, name].concat()).map_err(|_| Missing(name))?;
    #[allow(unsafe_code)]
    // SAFETY: the name ends with a zero, and `dlsym` keeps no pointer to it.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, full.as_ptr()) };
    if found.is_null() {
        Err(Missing(name))
    } else {
        Ok(found)
    }
}

static FOUND: OnceLock<Callbacks> = OnceLock::new();

/// Looks Envoy's functions up, once.
///
/// # Errors
///
/// If one of them is not there.
pub fn find() -> Result<(), Missing> {
    if FOUND.get().is_none() {
        // A second look-up at the same time finds the same functions.
        let _ = FOUND.set(Callbacks::find()?);
    }
    Ok(())
}

/// Provides the functions where there is no Envoy to find them in: in a test of the hooks. Without
/// effect if they have been found or provided before.
pub fn provide(callbacks: Callbacks) {
    let _ = FOUND.set(callbacks);
}

/// Envoy's functions, if this process is one.
pub fn found() -> Option<&'static Callbacks> {
    FOUND.get()
}

/// Envoy's functions.
///
/// # Panics
///
/// If they have not been [found](find). Envoy calls no hook before the one that looks them up.
pub(crate) fn envoy() -> &'static Callbacks {
    FOUND.get().expect("Envoy has initialised the module")
}
