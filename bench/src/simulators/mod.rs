//! How fast the simulators are, beside plain loops that do the same.

mod farm;
mod machine;
mod natural;

pub use farm::farm;
pub use machine::machine;
pub use natural::natural;
