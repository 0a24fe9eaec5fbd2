//! The time of the program, without the pauses in which the recording was written.

use filch_profile::Duration;

use super::clock::{Rate, Ticks};

/// The thread whose section has ended writes what is new, and finds names and lines for new sites.
/// That takes tenths of a second where a program has much debug information. The program would not
/// have spent that time, so its clock stands still meanwhile: until the writing is done, or another
/// thread enters a section.
#[derive(Default)]
pub(super) struct Timeline {
    pub(super) beginning: Ticks,
    /// When each pause began, and how long it and those before it were, in the order of time.
    pauses: Vec<(Ticks, Ticks)>,
    /// Since when the clock stands still, if it does.
    stopped: Option<Ticks>,
}

impl Timeline {
    pub(super) fn from(beginning: Ticks) -> Self {
        Self {
            beginning,
            ..Self::default()
        }
    }

    /// The recording was written from `began` to `ended`, after all earlier pauses.
    pub(super) fn pause(&mut self, began: Ticks, ended: Ticks) {
        let before = self.pauses.last().map_or(0, |(_, total)| *total);
        let total = before + ended.saturating_sub(began);
        self.pauses.push((began, total));
    }

    /// The clock stands still from then on.
    pub(super) fn stop(&mut self, at: Ticks) {
        self.stopped = Some(at);
    }

    /// The clock goes on, if it stood still.
    pub(super) fn go_on(&mut self, at: Ticks) {
        if let Some(began) = self.stopped.take() {
            self.pause(began, at);
        }
    }

    /// How long the program had run at that time.
    pub(super) fn at(&self, ticks: Ticks, rate: Rate) -> Duration {
        let begun = self.pauses.partition_point(|(began, _)| *began < ticks);
        let paused = match begun.checked_sub(1).map(|last| self.pauses[last]) {
            None => 0,
            Some((began, total)) => {
                let before = begun.checked_sub(2).map_or(0, |last| self.pauses[last].1);
                before + (total - before).min(ticks - began)
            }
        };
        rate.duration(ticks.saturating_sub(self.beginning).saturating_sub(paused))
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn time_stands_still_in_pauses() {
        let mut timeline = Timeline::from(100);
        let rate = Rate::get();
        timeline.pause(150, 170);
        timeline.pause(200, 205);
        let expected = [
            (90, 0),
            (120, 20),
            (150, 50),
            (160, 50),
            (170, 50),
            (180, 60),
            (200, 80),
            (203, 80),
            (205, 80),
            (215, 90),
        ];
        for (ticks, passed) in expected {
            assert_eq!(timeline.at(ticks, rate), rate.duration(passed), "{ticks}");
        }
    }

    #[test]
    fn a_section_that_is_entered_ends_a_pause() {
        let mut timeline = Timeline::from(100);
        let rate = Rate::get();
        timeline.stop(150);
        timeline.go_on(160);
        // The writing is done.
        timeline.go_on(190);
        for (ticks, passed) in [(155, 50), (160, 50), (190, 80)] {
            assert_eq!(timeline.at(ticks, rate), rate.duration(passed), "{ticks}");
        }
    }
}
