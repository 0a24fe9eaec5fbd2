//! Policies that decide alike at first, so that one simulated run can stand for several.
//!
//! `idle(F)` and `idle(G)` make the same decisions, with the same random numbers, until a batch
//! arrives while no server is idle. PI and JIQ are such a pair. The farm of `filch-sim` simulates
//! their common beginning once. No other caller needs this, so the trait is hidden.

use super::{Dispatch, Dispatcher, Spec};

/// What the farm asks of a policy to share the beginning of a run; `D` is the policy at work.
pub trait Beginning<D> {
    /// Whether the policy is tested to give each job to one server that exists. The farm checks the
    /// decisions of any other.
    const TRUSTED: bool;

    /// Whether this policy decides as `other` does until a batch arrives while no server is idle,
    /// and differs from a new policy then in its tokens alone.
    fn begins_as(&self, other: &Self) -> bool;

    /// Whether `policy` holds a token, so that the next batch goes to an idle server.
    fn knows_idle(policy: &D) -> bool;

    /// Brings `policy`, which is new, to the state it would have reached in the run of `other`.
    ///
    /// # Panics
    ///
    /// If the two do not use tokens in the same way.
    fn take_tokens_of(policy: &mut D, other: &D);
}

/// The policies, by their forms, that ignore what they are told before they are asked: tokens and
/// batches that [`Idle`](super::Idle) routed. A policy that is not listed is simulated by itself.
const FORGETFUL: &[&str] = &["random", "round-robin", "jsq", "jsq:D", "jsq:D:M", "sed"];

impl Beginning<Dispatcher> for Spec {
    const TRUSTED: bool = true;

    fn begins_as(&self, other: &Self) -> bool {
        self.listens() && self.uses_tokens_as(other) && FORGETFUL.contains(&self.plain_form())
    }

    #[inline]
    fn knows_idle(policy: &Dispatcher) -> bool {
        match policy {
            Dispatcher::Plain(_) => false,
            Dispatcher::Idle(policy) => policy.knows_idle(),
            Dispatcher::IdleFastest(policy) => policy.knows_idle(),
            Dispatcher::IdleOne(policy) => policy.knows_idle(),
            Dispatcher::IdleScatter(policy) => policy.knows_idle(),
            Dispatcher::IdleSpeed(policy) => policy.knows_idle(),
        }
    }

    fn take_tokens_of(policy: &mut Dispatcher, other: &Dispatcher) {
        match (policy, other) {
            (Dispatcher::Idle(policy), Dispatcher::Idle(other)) => policy.take_tokens_of(other),
            (Dispatcher::IdleFastest(policy), Dispatcher::IdleFastest(other)) => {
                policy.take_tokens_of(other);
            }
            (Dispatcher::IdleOne(policy), Dispatcher::IdleOne(other)) => {
                policy.take_tokens_of(other);
            }
            (Dispatcher::IdleScatter(policy), Dispatcher::IdleScatter(other)) => {
                policy.take_tokens_of(other);
            }
            (Dispatcher::IdleSpeed(policy), Dispatcher::IdleSpeed(other)) => {
                policy.take_tokens_of(other);
            }
            _ => panic!("both use tokens in the same way"),
        }
    }
}

/// A policy of the caller's own begins as no other.
impl<D: Dispatch + Clone> Beginning<D> for D {
    const TRUSTED: bool = false;

    fn begins_as(&self, _: &Self) -> bool {
        false
    }

    fn knows_idle(_: &D) -> bool {
        false
    }

    fn take_tokens_of(_: &mut D, _: &D) {
        unreachable!("begins_as is false")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::PLAIN;

    #[test]
    fn the_list_names_policies() {
        for form in FORGETFUL {
            assert!(
                PLAIN.iter().any(|entry| entry.description.form == *form),
                "{form}"
            );
        }
    }
}
