use std::hint::spin_loop;
use std::thread;
use std::time::{Duration, Instant};

use super::Taken;

/// What a leaf does for a time that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaf {
    /// It keeps its processor busy.
    Spins,
    /// It sleeps, and takes no processor.
    Sleeps,
}

impl Leaf {
    /// Returns what it took, which is more than `time` if the system lets it wait.
    pub(super) fn run(self, time: Duration) -> Taken {
        let begin = Instant::now();
        match self {
            Self::Spins => {
                while begin.elapsed() < time {
                    spin_loop();
                }
            }
            Self::Sleeps => thread::sleep(time),
        }
        Taken::leaf(begin.elapsed())
    }
}
