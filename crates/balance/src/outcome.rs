use std::ops::RangeInclusive;

/// What an answer says of its server, and so what is learned from it.
///
/// | outcome | the server's speed | the share of its requests that fail |
/// |---|---|---|
/// | `Good` | learned | falls |
/// | `Neutral` | not learned | stays |
/// | `Failed` | not learned: an error may be fast because nothing was done | grows |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server has done what it was asked for.
    Good,
    /// The answer is not typical of the server, and no fault of it.
    Neutral,
    /// The server has failed, although it has answered.
    Failed,
}

/// Which status of an answer is which [`Outcome`]: 5xx are failures and all others good, unless you
/// say otherwise.
///
/// ```
/// use filch_balance::{Outcome, Outcomes};
///
/// let outcomes = Outcomes::default().with(429..=429, Outcome::Failed);
/// assert_eq!(outcomes.of(200), Outcome::Good);
/// assert_eq!(outcomes.of(429), Outcome::Failed);
/// assert_eq!(outcomes.of(503), Outcome::Failed);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcomes(Vec<(RangeInclusive<u16>, Outcome)>);

impl Default for Outcomes {
    fn default() -> Self {
        Self(vec![(500..=599, Outcome::Failed)])
    }
}

impl Outcomes {
    /// The same, but these statuses have this outcome.
    #[must_use]
    pub fn with(mut self, statuses: RangeInclusive<u16>, outcome: Outcome) -> Self {
        self.0.push((statuses, outcome));
        self
    }

    /// The outcome of an answer with this status.
    #[inline]
    pub fn of(&self, status: u16) -> Outcome {
        let mut rules = self.0.iter().rev();
        let rule = rules.find(|(statuses, _)| statuses.contains(&status));
        rule.map_or(Outcome::Good, |&(_, outcome)| outcome)
    }
}
