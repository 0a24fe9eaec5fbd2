//! The pool that functions use outside every other pool.

use std::sync::OnceLock;

use super::Pool;

/// The global pool, started on first use.
///
/// # Panics
///
/// With the reason, if it cannot be built.
pub(crate) fn global() -> &'static Pool {
    static GLOBAL: OnceLock<Pool> = OnceLock::new();
    GLOBAL.get_or_init(|| match Pool::builder().build() {
        Ok(pool) => pool,
        Err(error) => panic!("the global pool of filch could not be started: {error}"),
    })
}
