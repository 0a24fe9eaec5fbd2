//! The pool that is there when nobody made one.

use std::sync::OnceLock;

use super::Pool;

/// The global pool, started on first use.
///
/// # Panics
///
/// If it cannot be built, with the reason.
pub(crate) fn global() -> &'static Pool {
    static GLOBAL: OnceLock<Pool> = OnceLock::new();
    GLOBAL.get_or_init(|| match Pool::builder().build() {
        Ok(pool) => pool,
        Err(error) => panic!("the global pool of filch could not be started: {error}"),
    })
}
