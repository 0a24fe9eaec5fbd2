//! The types that cross the boundary, as C lays them out.

use std::ffi::{c_char, c_uint, c_void};
use std::{ptr, slice, str};

/// Bytes that Envoy owns. How long they live depends on the callback that gave them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EnvoyBuffer {
    /// The first byte; may be null if there are none.
    pub ptr: *const c_char,
    /// How many bytes there are.
    pub length: usize,
}

/// Bytes that the module owns. Envoy copies what it keeps.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ModuleBuffer {
    /// The first byte; null means that there is no value.
    pub ptr: *const c_char,
    /// How many bytes there are.
    pub length: usize,
}

/// A header that Envoy owns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EnvoyHeader {
    /// The name, in lower case.
    pub key: EnvoyBuffer,
    /// The value.
    pub value: EnvoyBuffer,
}

/// A header that the module owns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ModuleHeader {
    /// The first byte of the name.
    pub key_ptr: *const c_char,
    /// The length of the name.
    pub key_length: usize,
    /// The first byte of the value.
    pub value_ptr: *const c_char,
    /// The length of the value.
    pub value_length: usize,
}

/// A C enumeration. Envoy's compilers give all of them the size of an `unsigned int`.
pub type Enum = c_uint;
/// A pointer to an object of Envoy.
pub type EnvoyPtr = *mut c_void;
/// A pointer to an object of the module.
pub type ModulePtr = *const c_void;

impl EnvoyBuffer {
    /// No bytes.
    pub const EMPTY: Self = Self {
        ptr: ptr::null(),
        length: 0,
    };

    /// The bytes.
    ///
    /// # Safety
    ///
    /// The bytes must stay what they are for the lifetime that the caller chooses: the callback's
    /// documentation in the header says how long that is.
    #[allow(unsafe_code)]
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.ptr.is_null() || self.length == 0 {
            return &[];
        }
        // SAFETY: Envoy gives a pointer to `length` readable bytes; the caller answers for how
        // long they live.
        unsafe { slice::from_raw_parts(self.ptr.cast(), self.length) }
    }

    /// The text; empty if it is no UTF-8.
    ///
    /// # Safety
    ///
    /// As for [`bytes`](Self::bytes).
    #[allow(unsafe_code)]
    pub unsafe fn text<'a>(self) -> &'a str {
        // SAFETY: the caller answers for it.
        str::from_utf8(unsafe { self.bytes() }).unwrap_or_default()
    }
}

impl ModuleBuffer {
    /// No value.
    pub const NONE: Self = Self {
        ptr: ptr::null(),
        length: 0,
    };

    /// The bytes of `text`, which must outlive the call that they are passed to.
    pub fn of(text: &str) -> Self {
        Self {
            ptr: text.as_ptr().cast(),
            length: text.len(),
        }
    }
}
