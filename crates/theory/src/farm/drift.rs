//! PI, Lemma 3.3: the drift of PI's farm.

use super::walk::walk_constant;
use super::{FarmModel, split};

/// Lemma 3.3 and the constants of its proof.
///
/// **Statement.** If λ < Σ μ_i there are γ in (0, 1], ε > 0 and a finite set A of states such that,
/// with L = Σ Q_i^{1+γ} and the sampling times τ_k at which some server other than the Last-Idle
/// one is idle, from every state outside of A
///
/// ```text
/// E[L(τ_{k+1}) − L(τ_k)]  ≤  −ε · E[τ_{k+1} − τ_k]        (equation 20)
/// ```
///
/// so the drift is negative wherever more than 𝒞 jobs wait.
///
/// **Hypotheses.** λ < Σ μ_i and at least two servers: with one, the sum over the others in
/// equation 47 is empty, and inequality 48 fails.
///
/// The proof leaves γ open. Here it is 99 % of the least upper bound that equation 47 allows, but
/// at most 1: the larger γ, the smaller the set. Where λ is large the set is enormous nevertheless,
/// since the proof takes 1/γ-th powers; so its size is given as a logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lemma33 {
    /// ε (equation 46).
    pub epsilon: f64,
    /// γ (equation 47).
    pub gamma: f64,
    /// C of equation 58, the largest of all servers ([`walk_constant`]).
    pub walk: f64,
    /// u of equation 64.
    pub long: f64,
    /// log₁₀ 𝒞 (equation 65): Lemma 3.3 speaks of states in which more than 𝒞 jobs wait. The third
    /// member of the sum, which is for split batches, is the repaired one
    /// ([`pi_is_stable`](super::pi_is_stable) says why).
    pub log10_outside: f64,
}

impl Lemma33 {
    /// The constants for a farm; `None` if it does not meet the hypotheses.
    pub fn of(model: &FarmModel) -> Option<Self> {
        let (lambda, capacity) = (model.batch_mean, model.capacity());
        let n = model.servers() as f64;
        if lambda >= capacity || n < 2.0 {
            return None;
        }
        let least = |of: fn(&super::ServerClass) -> f64| model.present().map(of).reduce(f64::min);
        let epsilon = (capacity - lambda).min(least(|class| class.mean)?) / 4.0;
        let gamma = gamma(model, epsilon);
        let most = model.present().map(|class| class.max).fold(1.0, f64::max);
        let walk = |class: &super::ServerClass| {
            let variance = model.batch_variance + class.variance;
            walk_constant(lambda - class.mean, variance, gamma)
        };
        let walk = model.present().map(walk).fold(0.0, f64::max);
        let long = most * (most).max(root(epsilon, gamma, walk, (n - 1.0) * most));
        // The logarithms of the three terms of equation 65, so that their powers do not overflow.
        let beta = (lambda - least(|class| class.mean)?).max(0.0);
        let short = epsilon * long
            + (beta * long).powf(1.0 + gamma)
            + walk * long.powf(0.75 * (1.0 + gamma));
        let split = split::third_member(model, epsilon);
        let terms = [
            (n * most * long).ln(),
            n.ln() + short.ln() / gamma,
            n.ln() + split.ln() / gamma,
        ];
        let largest = terms.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = terms.iter().map(|term| (term - largest).exp()).sum();
        Some(Self {
            epsilon,
            gamma,
            walk,
            long,
            log10_outside: (largest + sum.ln()) / core::f64::consts::LN_10,
        })
    }

    /// The most that L may change on average until the next sampling time, if that is `slots` slots
    /// away on average: the right side of equation 20.
    pub fn most_change(&self, slots: f64) -> f64 {
        -self.epsilon * slots
    }
}

/// A γ with max_j (\[λ − μ_j\]⁺)^{1+γ} − Σ_{i≠j} μ_i < −2ε (equation 47).
///
/// Powers of a base of at most 1 do not grow, so any γ will do there; for a larger base the bound
/// on γ is ln(Σ_{i≠j} μ_i − 2ε) / ln(λ − μ_j) − 1, which is positive by inequality 48.
fn gamma(model: &FarmModel, epsilon: f64) -> f64 {
    let capacity = model.capacity();
    let bound = |class: &super::ServerClass| {
        let base = model.batch_mean - class.mean;
        if base <= 1.0 {
            return f64::INFINITY;
        }
        (capacity - class.mean - 2.0 * epsilon).ln() / base.ln() - 1.0
    };
    let least = model.present().map(bound).fold(f64::INFINITY, f64::min);
    (0.99 * least).min(1.0)
}

/// The root of f of equation 63, beyond which f is negative. There is one, because
/// f(x)/x^{1+γ} = εx^{−γ} − 2ε + Cx^{−(1+γ)/4} + bx^{−1} decreases.
fn root(epsilon: f64, gamma: f64, walk: f64, b: f64) -> f64 {
    let positive = |x: f64| {
        epsilon * x.powf(-gamma) - 2.0 * epsilon + walk * x.powf(-0.25 * (1.0 + gamma)) + b / x
            >= 0.0
    };
    let (mut low, mut high) = (0.0f64, 1.0f64);
    while positive(high.exp()) {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if positive(middle.exp()) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high.exp()
}

#[cfg(test)]
mod tests {
    use super::super::ServerClass;
    use super::*;

    fn poisson(load: f64, classes: Vec<ServerClass>) -> FarmModel {
        let mut model = FarmModel {
            batch_mean: 0.0,
            batch_variance: 0.0,
            classes,
        };
        model.batch_mean = load * model.capacity();
        model.batch_variance = model.batch_mean;
        model
    }

    const SLOW: ServerClass = ServerClass {
        count: 50,
        mean: 1.0,
        variance: 0.0,
        max: 1.0,
    };
    const FAST: ServerClass = ServerClass {
        count: 50,
        mean: 10.0,
        variance: 30.0,
        max: 19.0,
    };

    /// Equations 46, 47 and 64 with the constants put in, for PI's own farms and for small ones.
    #[test]
    fn the_constants_are_what_the_proof_asks_for() {
        let two = vec![ServerClass { count: 2, ..SLOW }];
        for load in [0.1, 0.5, 0.9, 0.99, 0.999] {
            for classes in [vec![SLOW, FAST], vec![FAST], two.clone()] {
                let model = poisson(load, classes);
                let lemma = Lemma33::of(&model).unwrap();
                let Lemma33 { epsilon, gamma, .. } = lemma;
                assert!(gamma > 0.0 && gamma <= 1.0, "{lemma:?}");
                let slack = model.capacity() - model.batch_mean;
                assert!(4.0 * epsilon <= slack);
                for class in &model.classes {
                    let power = (model.batch_mean - class.mean).max(0.0).powf(1.0 + gamma);
                    assert!(power - (model.capacity() - class.mean) < -2.0 * epsilon);
                }
                let (n, most) = (model.servers() as f64, model.classes[0].max);
                let most = model.classes.iter().map(|c| c.max).fold(most, f64::max);
                let f = |x: f64| {
                    epsilon * x - 2.0 * epsilon * x.powf(1.0 + gamma)
                        + lemma.walk * x.powf(0.75 * (1.0 + gamma))
                        + (n - 1.0) * most * x.powf(gamma)
                };
                assert!(lemma.long >= most * most);
                for beyond in [1.0 + 1e-9, 2.0, 1e3, 1e6] {
                    assert!(f(beyond * lemma.long / most) < 0.0, "{lemma:?} {beyond}");
                }
                assert!(lemma.log10_outside > (n * most * lemma.long).log10());
                assert_eq!(lemma.most_change(2.0), -2.0 * epsilon);
            }
        }
    }

    /// Two servers that complete one job a slot, at half load. λ − μ = 0, so γ may be 1; σ = 1 and
    /// C = 16; ε = 1/4. The third member: λ = σ_a² = 1, so ε·2 + 4·2 + 1 = 9.5. f(x) = 1.25x − x²/2
    /// + 16x^1.5 has its root where √x = 16 + √(256 + 2.5).
    #[test]
    fn a_case_by_hand() {
        let model = poisson(0.5, vec![ServerClass { count: 2, ..SLOW }]);
        let lemma = Lemma33::of(&model).unwrap();
        let (epsilon, gamma, walk) = (lemma.epsilon, lemma.gamma, lemma.walk);
        assert_eq!((epsilon, gamma, walk), (0.25, 1.0, 16.0));
        let root = (16.0 + f64::sqrt(258.5)).powi(2);
        assert!((lemma.long / root - 1.0).abs() < 1e-9, "{lemma:?}");
        let outside = 2.0 * root + 2.0 * (0.25 * root + 16.0 * root.powf(1.5)) + 2.0 * 9.5;
        assert!(
            (lemma.log10_outside - outside.log10()).abs() < 1e-9,
            "{lemma:?}"
        );
    }

    /// The same servers with bursts: 4 jobs with probability 1/4, so λ = 1 and σ² = 3. C = 16σ² =
    /// 48 (27.7 with the constant as the paper prints it).
    #[test]
    fn a_case_by_hand_with_another_variance() {
        let mut model = poisson(0.5, vec![ServerClass { count: 2, ..SLOW }]);
        model.batch_variance = 3.0;
        let lemma = Lemma33::of(&model).unwrap();
        assert_eq!((lemma.epsilon, lemma.gamma), (0.25, 1.0));
        assert!((lemma.walk - 48.0).abs() < 1e-9, "{lemma:?}");
        // f(x)/x = 1.25 − x/2 + 48√x is 0 where √x = 48 + √(48² + 2.5).
        let root = (48.0 + f64::sqrt(48.0 * 48.0 + 2.5)).powi(2);
        assert!((lemma.long / root - 1.0).abs() < 1e-9, "{lemma:?}");
    }

    #[test]
    fn only_under_its_hypotheses() {
        assert_eq!(Lemma33::of(&poisson(1.0, vec![SLOW])), None);
        assert_eq!(
            Lemma33::of(&poisson(0.5, vec![ServerClass { count: 1, ..FAST }])),
            None
        );
        assert!(!super::super::pi_is_stable(&poisson(1.0, vec![SLOW, FAST])));
        assert!(super::super::pi_is_stable(&poisson(0.99, vec![SLOW, FAST])));
    }
}
