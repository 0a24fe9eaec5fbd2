//! An oblivious kernel: a window of processes that moves on.

use filch_random::Stream;

use super::{Adversity, Kernel, KernelSight, NamedKernel};

/// `rotate:K:L`: K neighbouring processes for L steps, then the next K.
///
/// With a long L it is an unkind one: work that lies with the others is out of reach meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotate {
    count: u64,
    steps: u64,
}

impl NamedKernel for Rotate {
    const FORM: &'static str = "rotate:K:L";
    const MEANING: &'static str = "K neighbouring processes for L steps, then the next (oblivious)";

    fn start(parameters: &[u64]) -> Self {
        Self {
            count: parameters[0],
            steps: parameters[1],
        }
    }
}

impl Kernel for Rotate {
    fn adversity(&self) -> Adversity {
        Adversity::Oblivious
    }

    fn choose(&mut self, sight: &KernelSight<'_>, _: &mut Stream, chosen: &mut Vec<usize>) {
        let processes = sight.processes as u64;
        let count = self.count.min(processes);
        let turn = (sight.step - 1) / self.steps;
        // The windows begin behind the first process, which has the root.
        let first = 1 + u128::from(turn) * u128::from(count);
        let at = |index: u64| ((first + u128::from(index)) % u128::from(processes)) as usize;
        chosen.extend((0..count).map(at));
    }
}
