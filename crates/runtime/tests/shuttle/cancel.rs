//! Tokens that are cancelled at any moment.

use filch::{CancelToken, Cancelled};

use super::*;

/// A child that is made while its parent is cancelled.
#[test]
fn no_child_escapes() {
    check(|| {
        let parent = CancelToken::new();
        let child = thread::scope(|threads| {
            threads.spawn(|| parent.cancel());
            parent.child()
        });
        assert!(child.is_cancelled());
    });
}

/// Children of a scope run or are dropped, and the scope waits for those that run.
#[test]
fn a_scope_is_cancelled() {
    check(|| {
        let (token, alive) = (CancelToken::new(), Arc::new(()));
        let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let pool = builder(2).build().unwrap();
        let canceller = token.clone();
        let canceller = thread::spawn(move || canceller.cancel());
        let result = pool.install(|| {
            token.scope(|s| {
                for _ in 0..3 {
                    let value = Arc::clone(&alive);
                    let (begun, ended) = (&begun, &ended);
                    s.spawn(move |_| {
                        begun.fetch_add(1, SeqCst);
                        drop(value);
                        ended.fetch_add(1, SeqCst);
                    });
                }
            })
        });
        canceller.join().unwrap();
        assert_eq!(begun.load(SeqCst), ended.load(SeqCst));
        assert_eq!(Arc::strong_count(&alive), 1);
        assert!(result == Err(Cancelled) || begun.load(SeqCst) == 3);
    });
}
