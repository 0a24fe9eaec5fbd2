//! The Busy-Leaves algorithm: BL99, Theorem 3.
//!
//! **Statement.** T(X) ≤ T1/P + Tinf and S(X) ≤ S1·P.
//!
//! **Hypotheses.** A strict computation; X is the schedule of the Busy-Leaves algorithm on P
//! processors, whose own cost is not counted.

use num_bigint::BigUint;

use super::{Hypotheses, greedy, linear_space};

/// Both bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct BusyLeavesBounds {
    /// On time, because the schedule is greedy.
    pub time: f64,
    /// On space, because every leaf is busy.
    pub space: BigUint,
}

/// T1/P + Tinf and S1·P.
pub fn bounds(given: &Hypotheses) -> BusyLeavesBounds {
    BusyLeavesBounds {
        time: greedy::time(given),
        space: linear_space::space(given),
    }
}

#[cfg(test)]
mod tests {
    use super::super::hypotheses::FIGURE_1;
    use super::*;

    #[test]
    fn on_the_example_of_the_paper() {
        let expected = BusyLeavesBounds {
            time: 21.5,
            space: 6u32.into(),
        };
        assert_eq!(bounds(&FIGURE_1), expected);
    }
}
