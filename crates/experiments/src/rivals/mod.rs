//! The natural process and its rivals on the same jobs.
//!
//! A [`Contender`] is the natural process with a steal function, or a rival by its name. A
//! [`RivalStudy`] runs contenders under one placement: with the same seed all of them get the same
//! jobs at the same places, unless the placement looks at the queues.

mod contender;
mod promised;
mod rival_study;

pub use contender::Contender;
pub use promised::{Promise, promised};
pub use rival_study::{RivalEstimates, RivalStudy};
