//! The hook that Envoy calls when it has loaded the module.

use std::ffi::{CStr, c_char};
use std::ptr;

use crate::abi::guard::guarded;
use crate::abi::version::{self, Found};
use crate::abi::{callbacks, log};

/// Looks Envoy's version and its functions up. Says which version of the ABI this module goes by;
/// null refuses.
#[unsafe(no_mangle)]
pub extern "C" fn envoy_dynamic_module_on_program_init() -> *const c_char {
    guarded("on_program_init", ptr::null(), || match begin() {
        Ok(version) => version.as_ptr(),
        Err(complaint) => {
            refuse(&complaint);
            ptr::null()
        }
    })
}

fn begin() -> Result<&'static CStr, String> {
    let known = version::known();
    let found = callbacks::find();
    let version = match version::of_this_process() {
        Ok(Found::Known(version)) => version,
        Ok(Found::Unknown(versions)) => {
            let versions = versions.join(" or ");
            return Err(format!(
                "this Envoy has the ABI {versions}: this module knows {known}"
            ));
        }
        // Then the names of the functions are all that can be compared.
        Ok(Found::Nothing) | Err(_) => version::KNOWN[0].0,
    };
    found.map_err(|missing| format!("{missing}: this module knows {known}"))?;
    Ok(version)
}

/// To standard error, where Envoy's log goes by default, if the function that logs is missing.
#[allow(clippy::print_stderr)]
fn refuse(complaint: &str) {
    if callbacks::found().is_some() {
        log::error(complaint);
    } else {
        eprintln!("filch: {complaint}");
    }
}
