//! The gap in the proof of Theorem 3.4, shown by a run of equation 8.

use filch_random::Purpose;
use filch_workload::{Arrivals, Capacity};
use rand::RngExt;

use super::claims::Sentence;
use crate::chapters::Setting;
use crate::values::{Claim, Outcome};

const GAP: Purpose = Purpose::named("split");
const STATED: &str = "PI, proof of Theorem 3.4";
const SERVERS: usize = 4;

/// How many runs this makes.
pub(super) const RUNS: usize = 1;

/// What happened at the sampling times of a run.
#[derive(Default)]
struct Seen {
    /// Exactly one server besides the Last-Idle one was idle; and of these, how often the next
    /// batch was split.
    one_other: u64,
    split: u64,
    /// Two or more were; and of these, how often the next slot was no sampling time.
    more_others: u64,
    later: u64,
}

/// Equation 8 word for word, with even splitting, on four servers that complete 1 to 3 jobs.
fn run(setting: &Setting<'_>, slots: u32) -> Seen {
    let capacity = Capacity::uniform(2.0).expect("a mean");
    let sampler = capacity.sampler();
    let mut batches = Arrivals::poisson(6.0)
        .expect("a rate")
        .start()
        .expect("no file is read");
    let mut rng = setting.seed.stream(GAP, 0, 0);
    let (mut queues, mut last_idle) = ([0u32; SERVERS], 0);
    let mut seen = Seen::default();
    // How many servers besides the Last-Idle one were idle at the end of the last slot.
    let mut others = 0;
    for _ in 0..slots {
        let mut idle: Vec<usize> = (0..SERVERS).filter(|&server| queues[server] == 0).collect();
        let batch = batches.next_batch(&mut rng);
        let mut recipients = 0;
        if idle.is_empty() {
            queues[last_idle] += batch;
        } else {
            last_idle = idle[rng.random_range(0..idle.len())];
            for at in (1..idle.len()).rev() {
                idle.swap(at, rng.random_range(0..=at));
            }
            let held = idle.len() as u32;
            for (rank, &server) in idle.iter().enumerate() {
                let jobs = batch / held + u32::from((rank as u32) < batch % held);
                queues[server] += jobs;
                recipients += u32::from(jobs > 0);
            }
        }
        for queue in &mut queues {
            *queue = queue.saturating_sub(sampler.sample(&mut rng));
        }
        let now = (0..SERVERS)
            .filter(|&server| queues[server] == 0 && server != last_idle)
            .count();
        match others {
            0 => {}
            1 => {
                seen.one_other += 1;
                seen.split += u64::from(recipients > 1);
            }
            _ => {
                seen.more_others += 1;
                seen.later += u64::from(now == 0);
            }
        }
        others = now;
    }
    seen
}

pub(super) fn write(setting: &Setting<'_>) -> Vec<Claim> {
    let slots = setting.scale.pick(20_000, 200_000, 2_000_000);
    let seen = run(setting, slots);
    setting.tick();
    let checked = format!(
        "{SERVERS} servers that complete 1 to 3 jobs, at 75 %, batches split evenly, {slots} slots; \
         the theorem stands with a larger finite set (filch_theory::farm::pi_is_stable)"
    );
    let claim = |claim, of: u64, against: u64, what: &str| {
        Sentence {
            claim,
            stated: STATED,
            checked: checked.clone(),
        }
        .found(
            format!("{against} of {of} {what}"),
            against as f64,
            0.0,
            Outcome::if_decided((of > 0).then_some(against == 0)),
        )
    };
    vec![
        claim(
            "from a state with exactly one idle server besides the Last-Idle one, PI-Split is \
             identical to PI until the next sampling time",
            seen.one_other,
            seen.split,
            "such states are followed by a batch that is split, since the Last-Idle server is idle \
             too",
        ),
        claim(
            "from a state with two or more idle servers besides the Last-Idle one, the next \
             sampling time is one slot later",
            seen.more_others,
            seen.later,
            "such states are followed by a slot that is none, since each of these servers got jobs",
        ),
    ]
}
