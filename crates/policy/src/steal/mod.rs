//! How much to steal, and from which victim.
//!
//! In BFG03 a processor without work asks another one, and a processor with l jobs that accepts the
//! request gives f(l) of them away. [`StealFunction`] is that f, under the names users type;
//! [`Steal`] is the trait behind it, for a function of one's own. [`Victim`] is the choice of the
//! processor to ask.
//!
//! ```
//! use filch_policy::steal::{Steal, StealFunction};
//!
//! let f: StealFunction = "min(half,10)".parse()?;
//! assert_eq!(f.jobs(7), 3);
//! assert_eq!(f.jobs(1000), 10);
//! assert_eq!(f.to_string(), "min(half,10)");
//! # Ok::<(), filch_policy::ParseError>(())
//! ```

mod function;
mod victim;

pub use function::{Shape, Steal, StealFunction};
pub use victim::Victim;

use crate::Description;

/// Every steal function that can be typed.
pub const FUNCTIONS: &[Description] = function::DESCRIPTIONS;

/// Every choice of a victim that can be typed.
pub const VICTIMS: &[Description] = victim::DESCRIPTIONS;
