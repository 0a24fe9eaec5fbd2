//! The saturation throughput: jobs processed per step if the hosts never run dry.

use filch_policy::steal::StealFunction;
use filch_random::Seed;
use filch_sim::natural::{Generators, Natural};
use filch_workload::{Placement, Probability};

/// Jobs that no run uses up.
const INEXHAUSTIBLE: u64 = 1 << 50;

/// θ(f): the mean number of jobs processed per step if `hosts` processors have endless queues and
/// all other processors receive jobs only by stealing.
///
/// This decides stability where f is constant from some load on and the generators sit on these
/// hosts. Behind a long queue it does not matter how many jobs arrive; the rest of the system is a
/// finite chain with the throughput θ, and the hosts' load drifts by λn − θ. So the process is
/// stable for λn < θ and unstable for λn > θ.
pub fn throughput(
    processors: usize,
    hosts: usize,
    f: StealFunction,
    steps: u64,
    seed: Seed,
    number: u64,
) -> f64 {
    let nothing = Probability::new(0.0).expect("a probability");
    let idle = Generators::new(Placement::One, processors, nothing).expect("one host");
    let mut chain = Natural::new(processors, idle, f, seed, number);
    for host in 0..hosts {
        chain.put(host, INEXHAUSTIBLE);
    }
    let warmup = steps / 4;
    (0..warmup).for_each(|_| {
        chain.step();
    });
    let served: u64 = (warmup..steps).map(|_| chain.step().served).sum();
    served as f64 / (steps - warmup) as f64
}
