//! State that one thread at a time has: what others want to change meanwhile, they leave with that
//! thread.
//!
//! A mutex makes every thread wait for the one that has the lock, and for the operating system too
//! if that thread is displaced. A change that needs no answer does not have to wait. A [`Relay`]
//! holds a state, and a thread that [takes its turn](Relay::turn) has the state alone. A thread
//! that wants to [change](Relay::leave) the state and finds another one's turn leaves the change
//! there. Before a turn ends, the thread that has it makes all changes that were left, in the order
//! in which they were left. So every later turn sees them.
//!
//! The README has an example. The state is in one place and mostly in one cache: under contention
//! one thread makes the changes of several.

mod ending;
mod notes;
mod relay;
mod sleeper;
mod sync;
mod turn;

pub use relay::{Apply, Relay};
pub use turn::Turn;
