/// Σ Q_i^{1+γ} from one of PI's sampling times to the next.
///
/// Lemma 3.3 looks at the farm under PI at the slots τ_0 < τ_1 < … at whose end some server is idle
/// that is not the Last-Idle one (equations 16 and 17), and says of L = Σ Q_i^{1+γ} that, once Σ
/// Q_i is large enough,
///
/// ```text
/// E[L(τ_{k+1}) − L(τ_k)]  ≤  −ε · E[τ_{k+1} − τ_k]        (equation 20)
/// ```
///
/// Here both sides are averaged over the k at which Σ Q_i(τ_k) lies in one level. There are sixteen
/// levels from one power of 2 to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    /// γ.
    pub gamma: f64,
    /// The levels that occurred, by ascending Σ Q_i(τ_k).
    pub levels: Vec<Level>,
}

/// The steps from sampling times at which Σ Q_i was in one level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// The fewest jobs of this level: 0, 1, 2 … 31, 32, 34, 36 … 62, 64, 68 …
    pub jobs: u64,
    /// How many sampling times there were.
    pub times: u64,
    /// Σ (τ_{k+1} − τ_k), in slots.
    pub slots: u64,
    /// Σ (L(τ_{k+1}) − L(τ_k)).
    pub change: f64,
    /// Σ (L(τ_{k+1}) − L(τ_k))², from which the spread of the mean change follows.
    pub squares: f64,
}

/// Follows a run of PI and finds the sampling times.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    gamma: f64,
    /// LI(t): the server of the last batch, or the only server that was idle since.
    last: Option<usize>,
    /// Slot, Σ Q_i and L at the last sampling time.
    sampled: Option<(u32, u64, f64)>,
    levels: Vec<Level>,
}

/// Levels from one power of 2 to the next.
const STEPS: u64 = 16;
const STEP_BITS: u32 = STEPS.ilog2();

/// The number of the level that `jobs` belong to.
fn level(jobs: u64) -> usize {
    if jobs < STEPS {
        return jobs as usize;
    }
    let doublings = jobs.ilog2() - STEP_BITS;
    (u64::from(doublings) * STEPS + (jobs >> doublings)) as usize
}

/// The fewest jobs of level number `at`.
fn fewest(at: usize) -> u64 {
    let at = at as u64;
    if at < STEPS {
        return at;
    }
    (STEPS + at % STEPS) << (at / STEPS - 1)
}

impl Watch {
    pub(super) fn new(gamma: f64) -> Self {
        Self {
            gamma,
            last: None,
            sampled: None,
            levels: vec![Level::default(); level(u64::from(super::MOST_JOBS)) + 1],
        }
    }

    /// A batch went to `server`.
    pub(super) fn sent(&mut self, server: usize) {
        self.last = Some(server);
    }

    /// The queues at the end of `slot`: is it a sampling time?
    ///
    /// If two servers are idle, one of them is not LI(t). If only one is, the question is whether
    /// it is LI(t). In a slot with a batch, LI(t) is the server of that batch. In a slot without a
    /// batch no server stops being idle. So either the idle server is new: then no server was idle
    /// before, and LI(t) is still the server of the last batch. Or it was the only idle one before
    /// too: then it is LI(t) by equation 4.
    pub(super) fn end_of_slot(&mut self, slot: u32, queues: &[u32]) {
        let mut idle = (0..queues.len()).filter(|&server| queues[server] == 0);
        match (idle.next(), idle.next()) {
            (None, _) => return,
            (Some(only), None) => {
                if self.last == Some(only) {
                    return;
                }
                // From the next slot on, this one is the Last-Idle server.
                self.last = Some(only);
            }
            (Some(_), Some(_)) => {}
        }
        let waiting = queues.iter().map(|&queue| u64::from(queue)).sum();
        let power = |&queue: &u32| f64::from(queue).powf(1.0 + self.gamma);
        let value: f64 = queues.iter().map(power).sum();
        if let Some((before, waited, from)) = self.sampled.replace((slot, waiting, value)) {
            let level = &mut self.levels[level(waited)];
            level.times += 1;
            level.slots += u64::from(slot - before);
            level.change += value - from;
            level.squares += (value - from).powi(2);
        }
    }

    pub(super) fn finish(self) -> Drift {
        let levels = self.levels.into_iter().enumerate();
        let named = levels.map(|(at, level)| Level {
            jobs: fewest(at),
            ..level
        });
        Drift {
            gamma: self.gamma,
            levels: named.filter(|level| level.times > 0).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_one_another() {
        for at in 0..500 {
            let (first, next) = (fewest(at), fewest(at + 1));
            assert!(first < next && 16 * (next - first) <= first.max(16), "{at}");
            assert_eq!((level(first), level(next - 1)), (at, at));
        }
    }
}
