//! The server farm: what PI promises.
//!
//! | theorem | promise | here |
//! |---|---|---|
//! | Proposition 3.1 | at most one message for each batch, or sub-batch | [`most_messages`] |
//! | Lemma 3.3 | Σ Q_i^{1+γ} falls between sampling times once enough jobs wait | [`Lemma33`] |
//! | equation 58 | the moments of the queue of a server that gets every batch | [`walk_constant`] |
//! | Theorems 3.2 and 3.4 | PI and PI-Split are stable whenever λ < Σ μ_i | [`pi_is_stable`] |

mod drift;
mod messages;
mod region;
mod split;
mod walk;

pub use drift::Lemma33;
pub use messages::most_messages;
pub use region::pi_is_stable;
pub use walk::walk_constant;

/// What PI section 2.1 assumes of a farm: independent batches and capacities, all of one
/// distribution for each server, 1 ≤ s_i(t) ≤ s_max (equation 1).
#[derive(Clone, Debug, PartialEq)]
pub struct FarmModel {
    /// λ, the mean of a batch.
    pub batch_mean: f64,
    /// σ_a², the variance of a batch.
    pub batch_variance: f64,
    /// Servers that are alike.
    pub classes: Vec<ServerClass>,
}

/// Servers that are alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServerClass {
    /// How many servers.
    pub count: u64,
    /// μ_i, the mean of a capacity.
    pub mean: f64,
    /// σ_{s_i}², its variance.
    pub variance: f64,
    /// The largest capacity.
    pub max: f64,
}

impl FarmModel {
    /// n.
    pub fn servers(&self) -> u64 {
        self.classes.iter().map(|class| class.count).sum()
    }

    /// Σ μ_i.
    pub fn capacity(&self) -> f64 {
        let class = |class: &ServerClass| class.count as f64 * class.mean;
        self.classes.iter().map(class).sum()
    }

    /// The classes that have servers.
    fn present(&self) -> impl Iterator<Item = &ServerClass> {
        self.classes.iter().filter(|class| class.count > 0)
    }
}
