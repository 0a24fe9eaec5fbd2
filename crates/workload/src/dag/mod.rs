//! Computations as dags: BL99 section 2.
//!
//! A **thread** is a sequence of unit-time **instructions**, tied together by *continue* edges. An
//! instruction may **spawn** a thread, which makes its thread the parent; the threads form a tree
//! below the **root**. *Join* edges make an instruction wait for one of another thread. A thread
//! has a *frame* of some size, held from its spawn to its last instruction.
//!
//! There are two ways to write a computation down. A [`Dag`] lists every instruction; it comes out
//! of a [`DagBuilder`], which refuses what breaks the model, or from a file ([`Dag::from_json`]). A
//! [`Family`] has a name such as `fib:32`. Most families are [`Regular`]: a rule says what the next
//! instruction of a thread does, and nothing is kept but the frames of living threads, so that
//! 10⁸ instructions need no more memory than the threads that live at the same time.
//!
//! Both are executed through [`Unfold`], which reveals a computation one instruction at a time and
//! knows nothing of processors.
//!
//! ```
//! use filch_workload::dag::{Executed, Family, Unfold, Visit};
//!
//! /// Runs everything on one processor, children first.
//! struct Serially;
//!
//! impl Visit for Serially {
//!     type Value = u64;
//!
//!     fn visit<U: Unfold>(self, mut computation: U) -> u64 {
//!         let (mut time, mut enabled) = (0, Vec::new());
//!         let mut ready = vec![computation.root()];
//!         while let Some(thread) = ready.pop() {
//!             enabled.clear();
//!             match computation.execute(thread, &mut enabled) {
//!                 Executed::Continues => ready.push(thread),
//!                 Executed::Spawns(child) => ready.extend([thread, child]),
//!                 Executed::Stalls | Executed::Dies(_) => {}
//!             }
//!             ready.append(&mut enabled);
//!             time += 1;
//!         }
//!         time
//!     }
//! }
//!
//! let fib: Family = "fib:20".parse()?;
//! let measures = fib.measures();
//! assert_eq!((measures.work, measures.span, measures.stack_depth), (54_726, 40, 20));
//! assert_eq!(fib.computation().visit(Serially), measures.work);
//! # Ok::<(), filch_workload::Invalid>(())
//! ```

mod builder;
mod computation;
mod dag_unfolding;
mod error;
mod explicit;
mod families;
mod family;
mod file;
mod measures;
mod regular;
mod unfold;
mod whole;

pub use builder::{DagBuilder, Instruction, Thread};
pub use computation::{Computation, Visit};
pub use dag_unfolding::DagUnfolding;
pub use error::DagError;
pub use explicit::Dag;
pub use families::{Chain, Comb, Fib, Items, List, Loop, Stairs, Tree, Under, Uneven};
pub use family::Family;
pub use file::FORMAT;
pub use measures::Measures;
pub use regular::{Regular, Step, Unfolding};
pub use unfold::{Executed, ThreadId, Unfold};
