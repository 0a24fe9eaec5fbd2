//! The games in the proofs: recycling (BL99) and balls and bins (ABP01).

use filch_random::{Purpose, Stream};
use filch_sim::machine::game::{
    AllAtOnce, Bursts, Crowd, Delay, OneByOne, covered_weight, exact_below_half, recycle,
};
use filch_stats::Moments;
use filch_theory::machine::{balls_and_bins, recycling};

use crate::chapters::significance::allowed_errors;
use crate::chapters::{Scale, Setting};
use crate::values::{Claim, Outcome};

const GAME: Purpose = Purpose::named("game");
const BALLS: Purpose = Purpose::named("balls");

/// How often the bound that holds with a probability may fail.
const EPSILON: f64 = 0.05;

/// The adversaries by name.
const ADVERSARIES: [(&str, Play); 4] = [
    ("all at once", |balls, tosses, rng| {
        recycle(balls, tosses, &mut AllAtOnce, rng)
    }),
    ("bursts", |balls, tosses, rng| {
        recycle(balls, tosses, &mut Bursts, rng)
    }),
    ("one by one", |balls, tosses, rng| {
        recycle(balls, tosses, &mut OneByOne, rng)
    }),
    ("crowd", |balls, tosses, rng| {
        recycle(balls, tosses, &mut Crowd, rng)
    }),
];

type Play = fn(usize, u64, &mut Stream) -> Delay;

/// P and M.
const SIZES: [(usize, u64); 3] = [(8, 400), (64, 2000), (256, 1000)];

fn plays(scale: Scale) -> usize {
    scale.pick(30, 400, 10_000)
}

/// How the weight is distributed over the bins.
const WEIGHTS: [&str; 4] = ["equal", "one bin has all", "halving", "random"];

pub(super) fn total(scale: Scale) -> usize {
    ADVERSARIES.len() * SIZES.len() * plays(scale) + WEIGHTS.len() * BINS.len()
}

pub(super) fn recycling(setting: &Setting<'_>) -> Vec<Claim> {
    let plays = plays(setting.scale);
    let games: Vec<(usize, usize)> = (0..ADVERSARIES.len())
        .flat_map(|adversary| (0..SIZES.len()).map(move |size| (adversary, size)))
        .collect();
    let delays = setting.runs(games.len() * plays, |at| {
        let (game, replication) = (at as usize / plays, at as usize % plays);
        let (adversary, size) = games[game];
        let (balls, tosses) = SIZES[size];
        let mut rng = setting.seed.stream(GAME, replication as u64, game as u64);
        let delay = (ADVERSARIES[adversary].1)(balls, tosses, &mut rng);
        let total = delay.total as f64;
        (
            total / recycling::expected(tosses),
            total > recycling::likely(&delay.tosses, EPSILON),
        )
    });
    let names: Vec<_> = ADVERSARIES.iter().map(|(name, _)| *name).collect();
    let sizes: Vec<_> = SIZES
        .iter()
        .map(|(balls, tosses)| format!("({balls}, {tosses})"))
        .collect();
    let checked = format!(
        "(P, M) = {}, adversaries {}, {plays} games each",
        sizes.join(", "),
        names.join(", ")
    );
    let mean = |game: &[(f64, bool)]| -> f64 {
        let moments: Moments = game.iter().map(|(part, _)| part).collect();
        moments.mean().unwrap_or(0.0)
    };
    let most = delays.chunks(plays).map(mean).fold(0.0, f64::max);
    let over = delays
        .chunks(plays)
        .map(|game| game.iter().filter(|(_, over)| *over).count() as u64)
        .max()
        .unwrap_or(0);
    let allowed = allowed_errors(plays as u64, EPSILON);
    vec![
        Claim {
            claim: "the expected total delay of the (P, M)-recycling game is at most M".to_owned(),
            stated: "BL99, Lemma 6",
            checked: checked.clone(),
            found: format!("mean delay at most {most:.3}·M for every adversary"),
            measured: Some(most),
            bound: Some(1.0),
            outcome: Outcome::of(most <= 1.0),
        },
        Claim {
            claim: format!(
                "with probability 1 − ε the total delay is at most Σ max(2e·m, lg P + lg(1/ε)), \
                 which is O(M + P lg P + P lg(1/ε)); ε = {EPSILON}"
            ),
            stated: "BL99, Lemma 6",
            checked,
            found: format!(
                "at worst {over} of {plays} games exceed it (at most {allowed} allowed)"
            ),
            measured: Some(over as f64),
            bound: Some(allowed as f64),
            outcome: Outcome::of(over <= allowed),
        },
    ]
}

const BINS: [usize; 3] = [2, 16, 256];

fn weights(kind: usize, bins: usize, rng: &mut Stream) -> Vec<f64> {
    use rand::RngExt;
    match kind {
        0 => vec![1.0; bins],
        1 => (0..bins).map(|bin| f64::from(u8::from(bin == 0))).collect(),
        2 => (0..bins).map(|bin| 0.5f64.powi(bin as i32)).collect(),
        _ => (0..bins).map(|_| rng.random::<f64>()).collect(),
    }
}

pub(super) fn balls_and_bins(setting: &Setting<'_>) -> Vec<Claim> {
    const BETA: f64 = 0.5;
    let throws: u64 = setting.scale.pick(500, 10_000, 1_000_000);
    let least = balls_and_bins::least_probability(BETA);
    let half = setting.runs(WEIGHTS.len() * BINS.len(), |at| {
        let (kind, bins) = (at as usize / BINS.len(), BINS[at as usize % BINS.len()]);
        let mut rng = setting.seed.stream(BALLS, kind as u64, bins as u64);
        let weights = weights(kind, bins, &mut rng);
        let all: f64 = weights.iter().sum();
        let hit = (0..throws).filter(|_| covered_weight(&weights, &mut rng) >= BETA * all);
        hit.count() as u64
    });
    // The lemma bounds the rate of throws that cover less than half.
    let allowed = allowed_errors(throws, 1.0 - least);
    let fewest = half.iter().copied().min().unwrap_or(0);
    let exact = (1..=400).map(exact_below_half).fold(0.0, f64::max);
    let sizes: Vec<_> = BINS.iter().map(ToString::to_string).collect();
    vec![Claim {
        claim:
            "P balls thrown into P bins hit bins with half of the weight with probability above \
                1 − 2/e > 1/4"
                .to_owned(),
        stated: "ABP01, balls and bins",
        checked: format!(
            "weights {}; P = {}; {throws} throws each; also exactly for equal weights, P ≤ 400",
            WEIGHTS.join(", "),
            sizes.join(", ")
        ),
        found: format!(
            "at least {:.4} of the throws; for equal weights exactly at least {:.4}",
            fewest as f64 / throws as f64,
            1.0 - exact
        ),
        measured: Some(fewest as f64 / throws as f64),
        bound: Some(least),
        outcome: Outcome::of(throws - fewest <= allowed && 1.0 - exact > least),
    }]
}
