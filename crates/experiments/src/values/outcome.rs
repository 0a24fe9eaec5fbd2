//! What checking a claim comes to: it holds, it does not, or the runs cannot tell.

use std::fmt;

use serde::Serialize;

/// The outcome of checking a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The runs agree with the statement, and there were enough of them to disagree.
    Holds,
    /// The runs contradict the statement.
    DoesNotHold,
    /// The runs neither contradict the statement nor show it.
    Undecided,
}

impl Outcome {
    /// The outcome of a check that always decides.
    pub fn of(holds: bool) -> Self {
        if holds {
            Self::Holds
        } else {
            Self::DoesNotHold
        }
    }

    /// The outcome of a check that may find nothing to check, or may not be able to tell.
    pub fn if_decided(holds: Option<bool>) -> Self {
        holds.map_or(Self::Undecided, Self::of)
    }

    /// The outcome of a statement about many cases. It does not hold if it does not hold in one. It
    /// holds if it holds in each. Otherwise, and without cases, it is undecided.
    pub fn of_all(cases: impl IntoIterator<Item = Self>) -> Self {
        let mut cases = cases.into_iter().peekable();
        let mut all = if cases.peek().is_some() {
            Self::Holds
        } else {
            Self::Undecided
        };
        for case in cases {
            match case {
                Self::Holds => {}
                Self::DoesNotHold => return Self::DoesNotHold,
                Self::Undecided => all = Self::Undecided,
            }
        }
        all
    }

    /// Whether the claim holds.
    pub fn holds(self) -> bool {
        self == Self::Holds
    }

    /// As it is written in sentences.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::Undecided => "undecided",
        }
    }
}

/// The outcome of a check that always decides.
impl From<bool> for Outcome {
    fn from(holds: bool) -> Self {
        Self::of(holds)
    }
}

/// How many claims have each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Claims that hold.
    pub holding: usize,
    /// Claims that do not hold.
    pub failing: usize,
    /// Claims that are undecided.
    pub undecided: usize,
}

impl Count {
    /// How many claims there are.
    pub fn all(self) -> usize {
        self.holding + self.failing + self.undecided
    }
}

impl FromIterator<Outcome> for Count {
    fn from_iter<I: IntoIterator<Item = Outcome>>(outcomes: I) -> Self {
        let mut count = Self::default();
        for outcome in outcomes {
            *match outcome {
                Outcome::Holds => &mut count.holding,
                Outcome::DoesNotHold => &mut count.failing,
                Outcome::Undecided => &mut count.undecided,
            } += 1;
        }
        count
    }
}

/// The whole sentence without its full stop: `7 of 9 claims hold, 1 does not, 1 is undecided`.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} claims hold", self.holding, self.all())?;
        match self.failing {
            0 => {}
            1 => f.write_str(", 1 does not")?,
            failing => write!(f, ", {failing} do not")?,
        }
        match self.undecided {
            0 => Ok(()),
            1 => f.write_str(", 1 is undecided"),
            undecided => write!(f, ", {undecided} are undecided"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome::{DoesNotHold, Holds, Undecided};
    use super::*;

    #[test]
    fn one_case_decides_against_and_all_decide_for() {
        assert_eq!(Outcome::of_all([Holds, Holds]), Holds);
        assert_eq!(Outcome::of_all([Holds, Undecided]), Undecided);
        assert_eq!(
            Outcome::of_all([Undecided, DoesNotHold, Holds]),
            DoesNotHold
        );
        assert_eq!(Outcome::of_all([]), Undecided);
    }

    #[test]
    fn counts_are_sentences() {
        let shown = |outcomes: &[Outcome]| outcomes.iter().copied().collect::<Count>().to_string();
        assert_eq!(shown(&[Holds, Holds]), "2 of 2 claims hold");
        assert_eq!(
            shown(&[Holds, DoesNotHold, Undecided]),
            "1 of 3 claims hold, 1 does not, 1 is undecided"
        );
        assert_eq!(
            shown(&[Undecided, DoesNotHold, DoesNotHold, Undecided]),
            "0 of 4 claims hold, 2 do not, 2 are undecided"
        );
    }

    #[test]
    fn what_cannot_be_told_is_undecided() {
        assert_eq!(Outcome::if_decided(None), Undecided);
        assert_eq!(Outcome::if_decided(Some(false)), DoesNotHold);
        assert!(Outcome::if_decided(Some(true)).holds());
    }
}
