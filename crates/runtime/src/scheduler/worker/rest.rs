//! How long a thief rests before it steals again.

use core::cell::Cell;
use std::time::Duration;

/// Work is *short* if it took less than this, which is about what its steal has cost the thief and
/// its victim.
const SHORT: Duration = Duration::from_micros(1);

/// The first rest after short work. It is doubled each time, so often at most.
const FIRST_REST: Duration = Duration::from_nanos(500);
const MOST_DOUBLINGS: u32 = 3;

/// The rests of a thief.
///
/// A thief that steals short work takes less off its victim than the steal costs that victim, whose
/// attention it raises. So it rests after short work, and longer while all that it finds is short.
pub(super) struct Rest {
    short_in_a_row: Cell<u32>,
}

impl Rest {
    pub(super) fn new() -> Self {
        Self {
            short_in_a_row: Cell::new(0),
        }
    }

    /// How long to rest after this work.
    pub(super) fn after(&self, worked: Duration) -> Duration {
        if worked >= SHORT {
            self.short_in_a_row.set(0);
            return Duration::ZERO;
        }
        let before = self.short_in_a_row.get();
        self.short_in_a_row.set(before.saturating_add(1));
        FIRST_REST * (1 << before.min(MOST_DOUBLINGS))
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn rests_grow_while_work_is_short() {
        let rest = Rest::new();
        let short = SHORT - Duration::from_nanos(1);
        let rests: Vec<u128> = (0..6).map(|_| rest.after(short).as_nanos()).collect();
        assert_eq!(rests, [500, 1000, 2000, 4000, 4000, 4000]);
        assert_eq!(rest.after(SHORT), Duration::ZERO);
        assert_eq!(rest.after(short), FIRST_REST);
    }
}
