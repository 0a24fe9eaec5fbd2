//! How long a thief rests before it steals again.

use core::cell::Cell;
use std::time::{Duration, Instant};

use crate::sync::spin_loop;

/// Stolen work is *short* if it took less than this: less than the steal has cost its victim.
const SHORT: Duration = Duration::from_micros(1);

/// The rest after short work, doubled each time.
const FIRST: Duration = Duration::from_nanos(500);
const MOST_DOUBLINGS: u32 = 3;

/// A thief that steals short work slows its victim down by more than it takes over: each steal
/// raises the victim's attention. So it rests after such work, longer each time, and at once no
/// more when it finds work that was worth the steal.
pub(super) struct Rest {
    short_in_a_row: Cell<u32>,
}

impl Rest {
    pub(super) fn new() -> Self {
        Self {
            short_in_a_row: Cell::new(0),
        }
    }

    /// Rests from `now` on, if the last work was short, unless `is_needed`.
    pub(super) fn after(&self, worked: Option<Duration>, now: Instant, is_needed: impl Fn() -> bool) {
        let is_short = worked.is_some_and(|time| time < SHORT);
        if !is_short || cfg!(any(loom, shuttle)) {
            self.short_in_a_row.set(0);
            return;
        }
        let before = self.short_in_a_row.get();
        self.short_in_a_row.set(before.saturating_add(1));
        let rest = FIRST * (1 << before.min(MOST_DOUBLINGS));
        while !is_needed() && now.elapsed() < rest {
            spin_loop();
        }
    }
}
