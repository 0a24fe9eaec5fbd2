use super::registry::forward;
use super::{AnyToken, FastestToken, Idle, Plain};

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
}

impl Dispatcher {
    /// Whether it knows of an idle server, so that the next batch goes there. Who does not listen to tokens knows of
    /// none.
    #[inline]
    pub fn knows_idle(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Idle(policy) => policy.knows_idle(),
            Self::IdleFastest(policy) => policy.knows_idle(),
        }
    }

    /// A new dispatcher becomes what it would be had it gone through all that `other` went through, which never got a
    /// batch without knowing of an idle server. This is for policies of which one
    /// [begins as](super::Spec::begins_as) the other.
    ///
    /// # Panics
    ///
    /// If they do not use tokens in the same way.
    pub fn take_tokens_of(&mut self, other: &Self) {
        match (self, other) {
            (Self::Idle(policy), Self::Idle(other)) => policy.take_tokens_of(other),
            (Self::IdleFastest(policy), Self::IdleFastest(other)) => policy.take_tokens_of(other),
            _ => panic!("both use tokens in the same way"),
        }
    }
}

forward!(Dispatcher {
    Plain,
    Idle,
    IdleFastest
});
