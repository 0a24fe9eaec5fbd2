//! A benign kernel: all processes, then one, in turns.

use filch_random::Stream;

use super::{Adversity, Kernel, KernelSight, NamedKernel};

/// `bursts:A:B`: all processes for A steps, then one random process for B steps, and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    all: u64,
    one: u64,
}

impl NamedKernel for Bursts {
    const FORM: &'static str = "bursts:A:B";
    const MEANING: &'static str = "all processes for A steps, a random one for B steps (benign)";

    fn start(parameters: &[u64]) -> Self {
        Self {
            all: parameters[0],
            one: parameters[1],
        }
    }
}

impl Kernel for Bursts {
    fn adversity(&self) -> Adversity {
        Adversity::Benign
    }

    fn choose(&mut self, sight: &KernelSight<'_>, _: &mut Stream, chosen: &mut Vec<usize>) {
        let phase = (sight.step - 1) % self.all.saturating_add(self.one);
        let count = if phase < self.all { sight.processes } else { 1 };
        chosen.extend(0..count);
    }
}
