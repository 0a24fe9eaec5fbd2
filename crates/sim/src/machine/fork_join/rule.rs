//! What a worker may do while its newest frame waits for a stolen child.

/// What a waiting worker may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Only tasks below the frame that waits; if none is within reach, it waits in its seat.
    Leapfrog(Reach),
    /// Any task, on top of the frame that waits: rayon's rule.
    HelpAny,
    /// Only tasks below the frame that waits. If there is none, and there are tasks elsewhere, the
    /// worker hands its seat to a spare worker and sleeps.
    HandOver(WayBack),
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Leapfrog(Reach::Whole),
        Self::Leapfrog(Reach::Near),
        Self::HelpAny,
        Self::HandOver(WayBack::Passed),
        Self::HandOver(WayBack::Extra),
        Self::HandOver(WayBack::Own),
    ];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leapfrog(Reach::Whole) => "leapfrog",
            Self::Leapfrog(Reach::Near) => "leapfrog-near",
            Self::HelpAny => "help-any",
            Self::HandOver(WayBack::Passed) => "hand-over",
            Self::HandOver(WayBack::Extra) => "hand-over-extra",
            Self::HandOver(WayBack::Own) => "hand-over-own",
        }
    }
}

/// How far down a waiting worker looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every task below.
    Whole,
    /// Only tasks of workers whose newest stolen task is below, at most four further steals down: a
    /// helper hides what it ran before it helped.
    Near,
}

/// How many steals further down [`Reach::Near`] looks.
pub(super) const NEAR: usize = 4;

/// How a worker without a seat gets one when its frame is ready again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayBack {
    /// The worker that made the frame ready passes its own seat on.
    Passed,
    /// There is a seat more at once, and the next worker that runs dry gives one up.
    Extra,
    /// It waits for the seat that it had, until the worker there runs dry or waits.
    Own,
}
