//! Stationary distributions by repeated steps.

/// A Markov chain: from each state, the next ones with their probabilities.
pub(crate) struct Chain {
    pub(crate) steps: Vec<Vec<(u32, f64)>>,
}

impl Chain {
    /// The stationary distribution, by taking steps from `start` until nothing moves.
    pub(crate) fn stationary(&self, start: usize) -> Vec<f64> {
        let mut now = vec![0.0; self.steps.len()];
        now[start] = 1.0;
        for _ in 0..100_000 {
            let mut next = vec![0.0; now.len()];
            for (state, steps) in self.steps.iter().enumerate() {
                if now[state] > 0.0 {
                    for &(to, probability) in steps {
                        next[to as usize] += now[state] * probability;
                    }
                }
            }
            let moved: f64 = now.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum();
            now = next;
            if moved < 1e-12 {
                return now;
            }
        }
        panic!("the chain does not settle");
    }
}
