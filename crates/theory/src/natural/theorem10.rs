//! BFG03, Theorem 10 (BFG01, Theorem 1): when the process is stable.

use num_bigint::BigUint;

use super::lemma14::Proof;
use super::{Constants, Function, Undefined, lemma2};

/// A hypothesis of Theorem 10, and whether it is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// What has to hold.
    pub name: &'static str,
    /// Why it is not met; `None` if it is.
    pub fails: Option<String>,
}

/// **Theorem 10.** Let λ ≤ 1 − δ for a positive constant δ and let f satisfy Properties 1–3. Then
/// for every n which is sufficiently large with respect to δ⁻¹, chain X is positive recurrent, for
/// every placement of the generators.
///
/// "Sufficiently large" is made explicit from the proof: ν < δ so that T is defined; inequality (4)
/// of Lemma 19, ν ≤ ε/(2ε + 1); and the [`Proof`] of Lemma 14. Properties 1 and 2 are tested on
/// loads up to 2²⁵⁶, which can refute them but not prove them.
pub fn hypotheses(processors: u64, lambda: f64, c: f64, f: &impl Function) -> Vec<Hypothesis> {
    let constants = Constants::new(processors, lambda, c);
    let defined = |check: &dyn Fn(&Constants) -> Option<String>| match &constants {
        Ok(constants) => check(constants),
        Err(undefined) => Some(undefined.to_string()),
    };
    let hypothesis = |name, fails| Hypothesis { name, fails };
    vec![
        hypothesis(
            "λ < 1",
            (lambda >= 1.0).then(|| format!("λ = {lambda} leaves no δ")),
        ),
        hypothesis("Property 1: 0 ≤ f(l) ≤ l/2", property1(f)),
        hypothesis("Property 2: f is monotone", property2(f)),
        hypothesis(
            "Property 3: Φ_f is finite",
            defined(&|constants| {
                let sequence = lemma2::bound(constants, f);
                sequence.err().map(|missing| missing.to_string())
            }),
        ),
        hypothesis(
            "n is large: ν < 1 − λ",
            constants.err().as_ref().map(Undefined::to_string),
        ),
        hypothesis("n is large: ν ≤ ε/(2ε + 1) (Lemma 19)", defined(&lemma19)),
        hypothesis(
            "c and n are large: Lemma 14",
            defined(&|constants| Proof::new(constants).fails()),
        ),
    ]
}

fn lemma19(constants: &Constants) -> Option<String> {
    let most = constants.epsilon / (2.0 * constants.epsilon + 1.0);
    (constants.nu > most).then(|| {
        format!(
            "ν = {:.3e} exceeds ε/(2ε + 1) = {most:.3e}: more processors or a smaller λ",
            constants.nu
        )
    })
}

/// Loads to test a function on, ascending: all up to 4096, then the neighbours of every power of
/// two.
fn loads() -> impl Iterator<Item = BigUint> {
    let small = (0..=4096u32).map(BigUint::from);
    let around = |bits: u32| {
        let power = BigUint::from(1u8) << bits;
        [&power - 1u8, power.clone(), power + 1u8]
    };
    small.chain((13..=256).flat_map(around))
}

/// A counterexample to Property 1: a load of which f gives more than half.
pub fn property1(f: &impl Function) -> Option<String> {
    loads().find_map(|load| {
        let jobs = f.jobs(&load);
        (jobs > &load / 2u8).then(|| format!("f({load}) = {jobs} is more than half"))
    })
}

/// A counterexample to Property 2: two loads of which f gives less of the larger one.
pub fn property2(f: &impl Function) -> Option<String> {
    let mut before: Option<(BigUint, BigUint)> = None;
    loads().find_map(|load| {
        let jobs = f.jobs(&load);
        let less = before
            .as_ref()
            .filter(|(_, most)| jobs < *most)
            .map(|(earlier, most)| format!("f({earlier}) = {most}, but f({load}) = {jobs}"));
        before = Some((load, jobs));
        less
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_policy::steal::StealFunction;

    fn failing(processors: u64, lambda: f64, c: f64, name: &str) -> Vec<&'static str> {
        let f: StealFunction = name.parse().unwrap();
        let all = hypotheses(processors, lambda, c, &f);
        let failing = all.into_iter().filter(|one| one.fails.is_some());
        failing.map(|one| one.name).collect()
    }

    /// With a large c and very many processors all hypotheses are met; each other case fails the
    /// expected ones.
    #[test]
    fn what_is_met_and_what_is_not() {
        const P3: &str = "Property 3: Φ_f is finite";
        const NU: &str = "n is large: ν < 1 − λ";
        const L19: &str = "n is large: ν ≤ ε/(2ε + 1) (Lemma 19)";
        const L14: &str = "c and n are large: Lemma 14";
        let c = super::super::lemma14::least_c(10_000_000, 0.5).unwrap();
        let none: [&str; 0] = [];
        assert_eq!(failing(10_000_000, 0.5, c, "fraction:2"), none);
        assert_eq!(failing(10_000_000, 0.5, c, "const:1000"), [P3]);
        assert_eq!(failing(1_000, 0.5, 2.0, "half"), [L14]);
        assert_eq!(failing(4, 0.9, 2.0, "half"), [L19, L14]);
        assert_eq!(failing(2, 0.9, 2.0, "half"), [P3, NU, L19, L14]);
        assert_eq!(failing(2, 1.0, 2.0, "half"), ["λ < 1", P3, NU, L19, L14]);
    }

    struct Own(fn(&BigUint) -> BigUint);
    impl Function for Own {
        fn jobs(&self, load: &BigUint) -> BigUint {
            (self.0)(load)
        }
    }

    #[test]
    fn own_functions_are_refuted() {
        let greedy = Own(|load| load - load / 3u8);
        assert_eq!(property1(&greedy).unwrap(), "f(1) = 1 is more than half");
        let falling = Own(|load| BigUint::from(100u8) / (load + 1u8));
        assert_eq!(property2(&falling).unwrap(), "f(0) = 100, but f(1) = 50");
        let fine = Own(|load| load / 7u8);
        assert_eq!((property1(&fine), property2(&fine)), (None, None));
        let all = hypotheses(64, 0.5, 0.2, &fine);
        assert_eq!(all[3].fails, None, "Φ_f is found by search");
    }
}
