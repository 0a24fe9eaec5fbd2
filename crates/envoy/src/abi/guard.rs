//! No unwinding crosses the boundary.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use super::log;

/// How many panics were caught.
static CAUGHT: AtomicU64 = AtomicU64::new(0);

/// Runs the body of a hook. A panic is logged and counted, and Envoy gets `otherwise` instead.
///
/// The body may leave half a change behind when it panics. The balancer's own state is whole, since
/// none of its code that may panic runs between two changes that belong together. What else a hook
/// changes belongs to one stream or one worker.
#[inline]
pub(crate) fn guarded<T>(hook: &str, otherwise: T, body: impl FnOnce() -> T) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result,
        Err(payload) => {
            catch(hook, payload);
            otherwise
        }
    }
}

#[cold]
fn catch(hook: &str, payload: Box<dyn Any + Send>) {
    // Ordering: a number for display, which guards nothing.
    CAUGHT.fetch_add(1, Ordering::Relaxed);
    let message = reason(&*payload);
    // Dropping what was thrown may throw again.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        log::error(&format!("{hook} panicked: {message}"));
        drop(payload);
    }));
}

fn reason(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "no message".to_owned()
    }
}

/// How many panics were caught so far.
pub fn caught() -> u64 {
    // Ordering: as above.
    CAUGHT.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_the_other_answer_and_is_counted() {
        let before = caught();
        assert_eq!(guarded("hook", 1, || 2), 2);
        assert_eq!(guarded("hook", 1, || panic!("on purpose")), 1);
        assert!(caught() > before);
    }

    #[test]
    fn a_payload_that_panics_when_it_is_dropped_is_caught_too() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("in drop");
            }
        }
        assert_eq!(guarded("hook", 1, || std::panic::panic_any(Bomb)), 1);
    }
}
