use super::beginning::Beginning;
use super::{Dispatch, Dispatcher, Spec, StartError, View};

/// What a simulation starts a policy from: a name, or a policy itself.
///
/// A name is a [`Spec`]. A policy is any type with [`Dispatch`] and [`Clone`], in the state in
/// which it is to begin; each run gets a clone. The trait is implemented for these two and cannot
/// be implemented for other types.
///
/// ```
/// use filch_policy::dispatch::{Dispatch, Idle, Last, Spec, Start, View};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let view = View::of(10);
/// let by_name = Start::start(&"pi".parse::<Spec>()?, &view)?;
/// let by_type: Idle<Last> = Start::start(&Idle::over(Last::default(), &view), &view)?;
/// assert_eq!(by_name.messages(), by_type.messages());
/// # Ok(())
/// # }
/// ```
pub trait Start: Beginning<<Self as Start>::Policy> + Clone {
    /// The policy at work.
    type Policy: Dispatch + Clone;

    /// The policy in front of the servers of `view`, all of which are idle.
    ///
    /// # Errors
    ///
    /// If a named policy needs more servers, or must see what the view does not show.
    fn start(&self, view: &View<'_>) -> Result<Self::Policy, StartError>;

    /// The same, for a caller that reports every change of a queue or a speed
    /// ([`Dispatch::changed`]).
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    fn start_following(&self, view: &View<'_>) -> Result<Self::Policy, StartError>;

    /// Whether the policy has to be told which servers fell idle.
    fn listens(&self) -> bool;
}

impl Start for Spec {
    type Policy = Dispatcher;

    fn start(&self, view: &View<'_>) -> Result<Dispatcher, StartError> {
        Self::start(self, view)
    }

    fn start_following(&self, view: &View<'_>) -> Result<Dispatcher, StartError> {
        Self::start_following(self, view)
    }

    fn listens(&self) -> bool {
        Self::listens(self)
    }
}

impl<D: Dispatch + Clone> Start for D {
    type Policy = D;

    fn start(&self, _: &View<'_>) -> Result<D, StartError> {
        Ok(self.clone())
    }

    fn start_following(&self, _: &View<'_>) -> Result<D, StartError> {
        Ok(self.clone())
    }

    fn listens(&self) -> bool {
        true
    }
}
