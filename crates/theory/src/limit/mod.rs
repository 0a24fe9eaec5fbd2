//! Mean-field limits: what a process comes to when the number of processors grows without bound.
//!
//! With n processors, the shares p_l of processors with l jobs change at random. As n → ∞ with the
//! time fixed, they follow a deterministic recursion (steps) or a system of differential equations
//! (continuous time). Its fixed point is the limit of the stationary state wherever both exist and
//! every start leads to it; the chapter on limits of the report measures how close finite n comes.
//!
//! A model is a [`MeanField`]; [`solve`] finds its fixed point and says how far the result may be
//! off.
//!
//! | model | what it is the limit of | cite |
//! |---|---|---|
//! | [`NaturalLimit`] | the natural process with generators `uniform` | BFG03 for the process |
//! | [`StealingLimit`] | stealing in continuous time: any f, thresholds, several attempts, retries | Mitzenmacher 2001 |
//! | [`Supermarket`] | a job joins the shortest of d random queues | Vvedenskaya, Dobrushin, Karpelevich 1996; Mitzenmacher 1996 |
//! | [`SupermarketWithMemory`] | the same with one remembered queue | Mitzenmacher, Prabhakar, Shah 2002; Luczak, Norris 2013 |
//!
//! ```
//! use filch_policy::steal::StealFunction;
//! use filch_theory::limit::{NaturalLimit, Supermarket, solve};
//!
//! let two_choices = Supermarket { lambda: 0.9, choices: 2 };
//! let limit = solve(&two_choices)?;
//! // Closed form: a share λ^(2^i − 1) of all queues has i jobs or more.
//! assert!((limit.tail(3) - 0.9f64.powi(7)).abs() < 1e-9);
//!
//! let natural = NaturalLimit::new(0.9, StealFunction::HALF);
//! let limit = solve(&natural)?;
//! assert!(limit.error < 1e-9 && limit.mean < 2.0);
//! # Ok::<(), filch_theory::limit::NoLimit>(())
//! ```
//!
//! A model of one's own implements [`MeanField`]; a steal function of one's own is a
//! [`Steal`](filch_policy::steal::Steal).

mod fixed_point;
mod linear;
mod mean_field;
mod memory;
mod natural;
mod relaxation;
mod stealing;
mod supermarket;

pub use fixed_point::{Limit, NoLimit, TOLERANCE, solve};
pub use mean_field::MeanField;
pub use memory::SupermarketWithMemory;
pub use natural::{Flows, NaturalLimit};
pub use relaxation::trajectory;
pub use stealing::{StealingLimit, steal_one_tail};
pub use supermarket::{Supermarket, tail as supermarket_tail};
