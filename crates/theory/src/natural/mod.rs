//! The natural work-stealing process: what BFG01 and BFG03 promise of it.
//!
//! [`Constants`] are Definitions 1 and 11 for given n, λ and c. From them and a steal function f
//! follow Φ_f ([`phi`], by search; [`lemma2`] and [`lemma5`] in closed form; [`observation4`] for
//! capped functions), then whether the process is stable ([`theorem10`]), how large its load can be
//! ([`theorem12`], in both versions of the paper), and when it is not stable ([`theorem22`]).
//! [`lemma20`] is the theorem on drift and tails behind it. [`lemma13`] and [`lemma14`] are the two
//! probabilities on which the proof rests; the latter also makes explicit what the theorems call
//! "sufficiently large" c and n.
//!
//! ```
//! use filch_policy::steal::StealFunction;
//! use filch_theory::natural::{Constants, phi, theorem12};
//!
//! let constants = Constants::new(1024, 0.9, 2.0)?;
//! assert_eq!((constants.splits, constants.steps), (327, 401));
//!
//! let phi = phi::search(&constants, &StealFunction::HALF).expect("within reach");
//! let bound = theorem12::LoadBounds::new(&constants, &phi.into());
//! // The mean load is at most this: a number of 105 digits.
//! assert_eq!(bound.mean.log10().unwrap().ceil(), 105.0);
//! # Ok::<(), filch_theory::natural::Undefined>(())
//! ```

mod constants;
mod function;
mod large;
pub mod lemma13;
pub mod lemma14;
pub mod lemma2;
pub mod lemma20;
pub mod lemma5;
pub mod observation4;
pub mod phi;
pub mod theorem10;
pub mod theorem12;
pub mod theorem22;

pub use constants::{Constants, Undefined};
pub use function::Function;
pub use large::Large;
