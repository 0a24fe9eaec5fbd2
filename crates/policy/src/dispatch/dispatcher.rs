use super::registry::forward;
use super::{AnyToken, FastestToken, Idle, OneServer, Plain, Scattered, SpeedShare, SpreadTokens};

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
    IdleOne(Idle<Plain, SpreadTokens<OneServer>>),
    /// `idle-scatter(F)`.
    IdleScatter(Idle<Plain, SpreadTokens<Scattered>>),
    /// `idle-speed(F)`.
    IdleSpeed(Idle<Plain, SpreadTokens<SpeedShare>>),
}

forward!(Dispatcher {
    Plain,
    Idle,
    IdleFastest,
    IdleOne,
    IdleScatter,
    IdleSpeed
});
