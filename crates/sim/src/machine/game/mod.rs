//! The games behind the proofs: recycled balls (BL99 section 5), weighted bins (ABP01).

mod balls;
mod best;
mod recycling;

pub use balls::{covered_weight, exact_below};
pub use best::BestAdversary;
pub use recycling::{AllAtOnce, Bursts, Crowd, Delay, GameTable, Hoard, OneByOne, Tosser, recycle};
