//! Hooks that Envoy wants to find in every module with an HTTP filter, and that this one has no use
//! for: it makes no calls of its own, and does not slow streams down.

use crate::abi::types::{Enum, EnvoyBuffer, EnvoyPtr, ModulePtr};

/// Declares hooks that do nothing.
macro_rules! unused {
    ($($name:ident($($type:ty),*);)*) => {
        $(
            /// Does nothing.
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($(_: $type),*) {}
        )*
    };
}

unused! {
    envoy_dynamic_module_on_http_filter_http_callout_done(
        EnvoyPtr, ModulePtr, u64, Enum, *mut EnvoyBuffer, usize, *mut EnvoyBuffer, usize
    );
    envoy_dynamic_module_on_http_filter_http_stream_headers(
        EnvoyPtr, ModulePtr, u64, *mut EnvoyBuffer, usize, bool
    );
    envoy_dynamic_module_on_http_filter_http_stream_data(
        EnvoyPtr, ModulePtr, u64, *const EnvoyBuffer, usize, bool
    );
    envoy_dynamic_module_on_http_filter_http_stream_trailers(
        EnvoyPtr, ModulePtr, u64, *mut EnvoyBuffer, usize
    );
    envoy_dynamic_module_on_http_filter_http_stream_complete(EnvoyPtr, ModulePtr, u64);
    envoy_dynamic_module_on_http_filter_http_stream_reset(EnvoyPtr, ModulePtr, u64, Enum);
    envoy_dynamic_module_on_http_filter_downstream_above_write_buffer_high_watermark(
        EnvoyPtr, ModulePtr
    );
    envoy_dynamic_module_on_http_filter_downstream_below_write_buffer_low_watermark(
        EnvoyPtr, ModulePtr
    );
}
