//! A benign kernel: so many processes, drawn anew in every step.

use filch_random::Stream;

use super::{Adversity, Kernel, KernelSight, NamedKernel};

/// `few:K`: K processes, drawn at random in every step; all of them if there are no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Few {
    count: u64,
}

impl NamedKernel for Few {
    const FORM: &'static str = "few:K";
    const MEANING: &'static str = "K random processes in every step (benign)";

    fn start(parameters: &[u64]) -> Self {
        Self {
            count: parameters[0],
        }
    }
}

impl Kernel for Few {
    fn adversity(&self) -> Adversity {
        Adversity::Benign
    }

    fn choose(&mut self, sight: &KernelSight<'_>, _: &mut Stream, chosen: &mut Vec<usize>) {
        chosen.extend((0..sight.processes).take(self.count as usize));
    }
}
