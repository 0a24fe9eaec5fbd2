//! An adaptive kernel: it runs thieves and lets work wait.

use filch_random::Stream;

use super::{Adversity, Kernel, KernelSight, NamedKernel};

/// `starve`: all processes that have no instruction to execute and may run; if there are none, one
/// process that may run.
///
/// Without yields this stops every computation on two processes or more for ever: the first process
/// has the root in hand, so it never runs, and no deque ever holds anything that a thief could
/// take. Nothing changes from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starve;

impl NamedKernel for Starve {
    const FORM: &'static str = "starve";
    const MEANING: &'static str = "processes without work alone, as long as it can (adaptive)";

    fn start(_: &[u64]) -> Self {
        Self
    }
}

impl Kernel for Starve {
    fn adversity(&self) -> Adversity {
        Adversity::Adaptive
    }

    fn choose(&mut self, sight: &KernelSight<'_>, _: &mut Stream, chosen: &mut Vec<usize>) {
        let (Some(working), Some(ready)) = (sight.working, sight.ready) else {
            return;
        };
        let may = (0..sight.processes).filter(|&process| ready[process]);
        chosen.extend(may.clone().filter(|&process| !working[process]));
        if chosen.is_empty() {
            chosen.extend(may.take(1));
        }
    }
}
