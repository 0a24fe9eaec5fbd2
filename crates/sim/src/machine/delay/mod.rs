//! BL99 section 6: rounds, critical instructions, and the delay sequence of a run.

mod augmented;
mod critical;
mod rounds;
mod sequence;
mod watch;

pub use augmented::Augmented;
pub use rounds::StealRound;
pub use sequence::DelaySequence;
pub use watch::Delays;
