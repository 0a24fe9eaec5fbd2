//! The papers' models in virtual time, one folder per model.
//!
//! Nothing here reads a clock or draws from a global generator: a run is a function of its
//! description and its seed, and gives the same values on any number of threads. Nothing here
//! concludes either; a run hands out what happened, and `filch-stats` says what that means.

pub mod farm;
pub mod fleet;
pub mod machine;
pub mod natural;
