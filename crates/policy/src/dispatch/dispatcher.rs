use super::registry::forward;
use super::{AnyToken, FastestToken, Idle, OneToken, Plain, ScatteredToken, SpeedShareToken};

/// Any policy that has a name, at work: what [`Spec::start`](super::Spec::start) gives.
///
/// A program that knows its policy when it is compiled can use the type itself instead
/// (`Idle<Last>` is PI) and saves the branch.
#[derive(Clone, Debug)]
pub enum Dispatcher {
    /// A policy that stands alone.
    Plain(Plain),
    /// `idle(F)`.
    Idle(Idle<Plain, AnyToken>),
    /// `idle-fastest(F)`.
    IdleFastest(Idle<Plain, FastestToken>),
    /// `idle-one(F)`.
    IdleOne(Idle<Plain, OneToken>),
    /// `idle-scatter(F)`.
    IdleScatter(Idle<Plain, ScatteredToken>),
    /// `idle-speed(F)`.
    IdleSpeed(Idle<Plain, SpeedShareToken>),
}

forward!(Dispatcher {
    Plain,
    Idle,
    IdleFastest,
    IdleOne,
    IdleScatter,
    IdleSpeed
});
