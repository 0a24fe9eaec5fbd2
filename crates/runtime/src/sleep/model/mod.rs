//! Every interleaving of the [steps](super::steps) in small pools, under loom:
//! `RUSTFLAGS="--cfg loom" cargo test -p filch --lib --release`.
//!
//! The steps, the counts, the attention, the parkers and the latches are the real ones. A deque is the
//! number of its items, and whoever forks here never takes one back: it goes on only when others
//! have taken them. So a lost wake-up is a deadlock, which loom reports.
//!
//! loom takes SeqCst accesses for AcqRel ones; only its fences are as strong as ours. LIGHT and HEAVY are those of the
//! deque's models, in which LIGHT pairs with nothing less than HEAVY.
#![allow(unsafe_code, reason = "latches are set and reached by pointers")]

mod forks;
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
