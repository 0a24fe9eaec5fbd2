use crate::{Duration, Usage};

/// What ran, and on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The threads of the pool, or of the largest if there were several.
    pub threads: u32,
    /// The processors that the process could use.
    pub processors: u32,
    /// How long it ran: from the beginning of the process, or of a recording of a part of it, to
    /// the end, without the time in which it waited for the recorder.
    pub wall: Duration,
    /// How much of the processors it got in that time; none if the system did not say.
    pub usage: Option<Usage>,
}

/// What recording did to the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// How the recording ended.
    pub ending: Ending,
    /// What one reading of the clock takes. It is subtracted from the strands already.
    pub clock: Duration,
    /// What recording one fork takes beside that, also subtracted.
    pub fork: Duration,
    /// How much of the work of all workers went into recording: subtracted from everything.
    pub spent: Duration,
    /// Tasks whose work and span differ by less than this share were stored as one.
    pub tolerance: f64,
    /// How many stretches were kept of how many.
    pub stretches_kept: (u64, u64),
}

/// How a recording ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program ended or asked for the profile.
    Whole,
    /// The program was ended from outside; what was complete by then is there.
    CutShort,
}
