//! Any computation, ready to be executed by code that is compiled for each kind.

use super::dag_unfolding::DagUnfolding;
use super::explicit::Dag;
use super::families::{Chain, Comb, Fib, Items, List, Loop, Stairs, Tree, Uneven};
use super::regular::{Regular, Unfolding};
use super::unfold::Unfold;

/// A computation of any kind. It can be executed any number of times.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Computation {
    /// `fib:N`.
    Fib(Fib),
    /// `tree:DEPTH:GRAIN`.
    Tree(Tree),
    /// `chain:N`.
    Chain(Chain),
    /// `loop:N:GRAIN`.
    Loop(Loop),
    /// `comb:N`.
    Comb(Comb),
    /// `items:N:SHORT:LONG`, `halving:N:SHORT:LONG`, `nested:M:N:SHORT:LONG` or
    /// `deep:N:FRAME:SHORT:LONG`.
    Items(Items),
    /// `list:N:GRAIN`.
    List(List),
    /// `stairs:N:FILLERS:GRAIN`.
    Stairs(Stairs),
    /// `uneven:LEAVES:SHORT:LONG`.
    Uneven(Uneven),
    /// Any other, written down.
    Explicit(Dag),
}

/// Something to be done with a computation, whatever its kind.
///
/// A scheduler is a function generic over [`Unfold`]; this is how one is applied to a computation
/// whose kind is known only when the program runs, without a virtual call for each instruction.
pub trait Visit {
    /// What comes out of it.
    type Value;

    /// Does it to a computation before its first instruction.
    fn visit<U: Unfold>(self, computation: U) -> Self::Value;
}

impl Computation {
    /// Does `what` to this computation, from its beginning.
    pub fn visit<V: Visit>(&self, what: V) -> V::Value {
        fn regular<R: Regular, V: Visit>(rule: R, what: V) -> V::Value {
            what.visit(Unfolding::new(rule))
        }
        match self {
            Self::Fib(rule) => regular(*rule, what),
            Self::Tree(rule) => regular(*rule, what),
            Self::Chain(rule) => regular(*rule, what),
            Self::Loop(rule) => regular(*rule, what),
            Self::Comb(rule) => regular(*rule, what),
            Self::Items(rule) => regular(*rule, what),
            Self::List(rule) => regular(*rule, what),
            Self::Stairs(rule) => regular(*rule, what),
            Self::Uneven(rule) => regular(*rule, what),
            Self::Explicit(dag) => what.visit(DagUnfolding::new(dag)),
        }
    }
}
