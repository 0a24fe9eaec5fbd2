//! The games behind the proofs: recycled balls (BL99 section 5), weighted bins (ABP01).

mod balls;
mod recycling;

pub use balls::{covered_weight, exact_below_half};
pub use recycling::{AllAtOnce, Bursts, Crowd, Delay, GameTable, OneByOne, Tosser, recycle};
