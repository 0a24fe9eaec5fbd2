//! The games in the proofs: recycling (BL99) and balls and bins (ABP01).

use filch_random::{Purpose, Stream};
use filch_sim::machine::game::{
    AllAtOnce, BestAdversary, Bursts, Crowd, Delay, Hoard, OneByOne, covered_weight, exact_below,
    recycle,
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
const ADVERSARIES: [(&str, Play); 6] = [
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
    ("half of the balls at once", |balls, tosses, rng| {
        recycle(balls, tosses, &mut Hoard { part: 0.5 }, rng)
    }),
    ("a tenth of the balls at once", |balls, tosses, rng| {
        recycle(balls, tosses, &mut Hoard { part: 0.1 }, rng)
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
    ADVERSARIES.len() * SIZES.len() * plays(scale)
        + WEIGHTS.len() * BINS.len()
        + most_balls(scale)
        + LARGE_GAMES
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

/// The best adversary is computed for P up to this.
fn most_balls(scale: Scale) -> usize {
    scale.pick(4, 7, 10)
}

/// M of those games.
fn best_tosses(scale: Scale) -> u64 {
    scale.pick(60, 300, 1000)
}

/// Whatever the adversary: the best one by dynamic programming, and the limit for many balls.
pub(super) fn best_adversary(setting: &Setting<'_>) -> Vec<Claim> {
    let (most, tosses) = (most_balls(setting.scale), best_tosses(setting.scale));
    let parts = setting.runs(most, |at| {
        let best = BestAdversary::new(at as usize + 1, tosses);
        let parts = (1..=tosses).map(|tosses| best.expected_delay(tosses) / tosses as f64);
        let last = best.expected_delay(tosses) / recycling::expected(tosses);
        (parts.fold(0.0, f64::max), last)
    });
    let largest = parts.iter().map(|(part, _)| *part).fold(0.0, f64::max);
    let listed: Vec<String> = parts.iter().map(|(_, last)| format!("{last:.3}")).collect();
    vec![
        Claim {
            claim: "whatever the adversary, the expected total delay is at most M".to_owned(),
            stated: "BL99, Lemma 6",
            checked: format!(
                "the best adversary by dynamic programming, exactly, P = 1 to {most}, every M up \
                 to {tosses}"
            ),
            found: format!(
                "at most {largest:.4}·M; for M = {tosses} by P: {}",
                listed.join(", ")
            ),
            measured: Some(largest),
            bound: Some(1.0),
            outcome: Outcome::of(largest <= 1.0),
        },
        many_balls(setting),
    ]
}

/// Games of many balls.
const LARGE_GAMES: usize = 8;

/// All balls always at once: the part of M that the delay tends to as P grows.
fn many_balls(setting: &Setting<'_>) -> Claim {
    let (balls, steps) = setting.scale.pick((500, 40), (4000, 100), (40_000, 200));
    let tosses = (balls * steps) as u64;
    let parts = setting.runs(LARGE_GAMES, |at| {
        let mut rng = setting.seed.stream(GAME, at, 1 << 32);
        let delay = recycle(balls, tosses, &mut AllAtOnce, &mut rng);
        delay.total as f64 / tosses as f64
    });
    let mean = parts.iter().sum::<f64>() / parts.len() as f64;
    let limit = recycling::limit_all_at_once();
    Claim {
        claim: "with all balls always tossed at once the delay tends to M/√2 as P and M/P grow, \
                below the M of Lemma 6"
            .to_owned(),
        stated: "BL99, Lemma 6; the limit is ours",
        checked: format!("P = {balls}, M = {tosses}, {LARGE_GAMES} games"),
        found: format!("{mean:.4}·M; 1/√2 is {limit:.4}"),
        measured: Some(mean),
        bound: Some(1.0),
        outcome: Outcome::of(mean <= 1.0 && (mean - limit).abs() < 0.02),
    }
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

/// The parts β of the weight. The lemma says nothing beyond 1 − 1/e = 0.632.
const BETAS: [f64; 5] = [0.1, 0.25, 0.5, 0.6, 0.63];

pub(super) fn balls_and_bins(setting: &Setting<'_>) -> Vec<Claim> {
    let throws: u64 = setting.scale.pick(500, 10_000, 1_000_000);
    let short = setting.runs(WEIGHTS.len() * BINS.len(), |at| {
        let (kind, bins) = (at as usize / BINS.len(), BINS[at as usize % BINS.len()]);
        let mut rng = setting.seed.stream(BALLS, kind as u64, bins as u64);
        let weights = weights(kind, bins, &mut rng);
        let all: f64 = weights.iter().sum();
        let mut short = [0u64; BETAS.len()];
        for _ in 0..throws {
            let covered = covered_weight(&weights, &mut rng);
            for (short, beta) in short.iter_mut().zip(BETAS) {
                // Sums in another order may differ in the last digit.
                *short += u64::from(covered < beta * all * (1.0 - 1e-12));
            }
        }
        short
    });
    let sizes: Vec<_> = BINS.iter().map(ToString::to_string).collect();
    let mut outcomes = Vec::new();
    let mut listed = Vec::new();
    for (at, beta) in BETAS.into_iter().enumerate() {
        let least = balls_and_bins::least_probability(beta);
        // The lemma bounds the rate of throws that cover less than the part β.
        let allowed = allowed_errors(throws, 1.0 - least);
        let most = short.iter().map(|short| short[at]).max().unwrap_or(0);
        let exact = (1..=400)
            .map(|bins| exact_below(bins, beta))
            .fold(0.0, f64::max);
        outcomes.push(Outcome::of(most <= allowed && 1.0 - exact > least));
        listed.push(format!(
            "β = {beta}: at least {:.4}, exactly {:.4}, bound {least:.4}",
            1.0 - most as f64 / throws as f64,
            1.0 - exact
        ));
    }
    vec![Claim {
        claim: "P balls thrown into P bins hit bins with the part β of the weight with \
                probability above 1 − 1/((1 − β)·e)"
            .to_owned(),
        stated: "ABP01, balls and bins",
        checked: format!(
            "weights {}; P = {}; {throws} throws each; also exactly for equal weights, P ≤ 400",
            WEIGHTS.join(", "),
            sizes.join(", ")
        ),
        found: listed.join("; "),
        measured: None,
        bound: None,
        outcome: Outcome::of_all(outcomes),
    }]
}
