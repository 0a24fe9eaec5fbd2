//! Every interleaving of the [steps](super::steps) in small pools, under loom: `RUSTFLAGS="--cfg
//! loom" cargo test -p filch --lib --release`.
//!
//! Steps, counts, attention, parkers and latches are the real ones. A deque is the number of its
//! items, and a forking worker never takes an item back: it goes on only when other workers have
//! taken its items. So a lost wake-up is a deadlock, which loom reports.
//!
//! loom treats SeqCst accesses as AcqRel; only its fences are as strong as real ones. LIGHT and
//! HEAVY are those of the deque's models, in which LIGHT pairs with HEAVY and nothing weaker.
#![allow(unsafe_code, reason = "latches are set and reached by pointers")]

mod forks;
mod hand_over;
mod jobs;
mod lent;
mod pool;
mod waiting;

fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(PREEMPTIONS);
    builder.check(check);
}

const PREEMPTIONS: usize = 3;
