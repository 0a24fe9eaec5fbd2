//! Keeps the module in the process once it is loaded.
//!
//! Envoy closes a module when the last configuration that names it is gone. What was learned has to
//! outlive that, and so has the thread that writes it down.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
