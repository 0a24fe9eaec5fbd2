//! Lemma 3.3: Σ Q_i^{1+γ} at PI's sampling times.

use filch_sim::farm::{
    Batches, Capacities, Class, Drift, Length, Level, Line, Run, Servers, simulate,
};
use filch_theory::farm::{self as theory, FarmModel, Lemma33};
use filch_workload::Arrivals;
use filch_workload::streams::ARRIVALS;

use super::claims::Sentence;
use super::grid;
use crate::chapters::Setting;
use crate::values::{Claim, Outcome, Table};

/// The paper's farm, and a small one.
pub(super) const RUNS: usize = 2;

const STATED: &str = "PI Lemma 3.3";
const LOAD: f64 = 0.9;

pub(super) fn write(setting: &Setting<'_>) -> (Vec<Claim>, Vec<Table>) {
    let (paper, table) = papers_farm(setting);
    setting.tick();
    let small = outside(setting);
    setting.tick();
    (vec![paper, small], vec![table])
}

/// These servers and arrivals, in the terms of the theorem.
pub(super) fn model(servers: &Servers, arrivals: &Arrivals) -> FarmModel {
    let batches = arrivals.start().expect("no file is read");
    let class = |class: &Class| theory::ServerClass {
        count: class.count as u64,
        mean: class.capacity.mean(),
        variance: class.capacity.variance(),
        max: class.capacity.max().into(),
    };
    FarmModel {
        batch_mean: batches.mean(),
        batch_variance: batches.variance(),
        classes: servers.classes().iter().map(class).collect(),
    }
}

pub(super) fn pi(arrivals: Arrivals, lemma: &Lemma33) -> Run {
    Run {
        completions: false,
        drift: Some(lemma.gamma),
        ..Run::of(grid::named("pi"), Batches::Whole, arrivals)
    }
}

/// The mean change and its standard error, if changes are independent.
fn mean(level: &Level) -> (f64, f64) {
    let times = level.times.max(1) as f64;
    let mean = level.change / times;
    let variance = (level.squares / times - mean * mean).max(0.0);
    (mean, (variance / (times - 1.0).max(1.0)).sqrt())
}

/// The highest levels together, at least a tenth of all sampling times.
fn highest_tenth(levels: &[Level]) -> Level {
    let all: u64 = levels.iter().map(|level| level.times).sum();
    let mut top = Level::default();
    for level in levels.iter().rev() {
        if 10 * top.times >= all {
            break;
        }
        top = Level {
            jobs: level.jobs,
            times: top.times + level.times,
            slots: top.slots + level.slots,
            change: top.change + level.change,
            squares: top.squares + level.squares,
        };
    }
    top
}

/// The paper's farm, 50:50 at 90 % load. The finite set of the proof contains every state that a
/// run reaches, so this estimates the drift at the largest queues that do occur.
fn papers_farm(setting: &Setting<'_>) -> (Claim, Table) {
    /// Levels with fewer sampling times are left out of the table.
    const ENOUGH: u64 = 100;
    let servers = grid::farm(50, 50, 10.0);
    let arrivals = grid::arrivals(&servers, LOAD);
    let lemma = Lemma33::of(&model(&servers, &arrivals)).expect("stable, and two servers at least");
    let length = Length::of(setting.scale.pick(2_000, 100_000, 1_000_000));
    let run = [pi(arrivals, &lemma)];
    let outcome = simulate(&servers, &run, length, setting.seed, 0).expect("a good policy");
    let drift = outcome[0].drift.clone().unwrap_or(Drift {
        gamma: lemma.gamma,
        levels: Vec::new(),
    });
    let telling = drift.levels.iter().filter(|level| level.times >= ENOUGH);
    let rows = telling.map(|level| {
        let (change, error) = mean(level);
        let slots = level.slots as f64 / level.times as f64;
        vec![
            level.jobs.into(),
            level.times.into(),
            slots.into(),
            change.into(),
            (1.96 * error).into(),
            lemma.most_change(slots).into(),
        ]
    });
    let table = Table {
        title: format!(
            "Lemma 3.3 at 50:50 and {:.0} % load: the change of Σ Q^(1+γ) from one sampling time \
             to the next, γ = {:.4}, ε = {}",
            100.0 * LOAD,
            lemma.gamma,
            lemma.epsilon
        ),
        columns: vec![
            "jobs waiting, from",
            "sampling times",
            "slots to the next",
            "mean change",
            "± 95 %",
            "−ε · slots",
        ],
        rows: rows.collect(),
    };
    let highest = highest_tenth(&drift.levels);
    let (change, error) = mean(&highest);
    let slots = highest.slots as f64 / highest.times.max(1) as f64;
    let bound = lemma.most_change(slots);
    let claim = Sentence {
        claim: "with many jobs waiting, but far fewer than the proof needs, the mean change of \
                Σ Q^(1+γ) between sampling times is at most −ε for each slot",
        stated: STATED,
        checked: format!(
            "50:50 at {:.0} %, the {} sampling times with the most jobs, {} and more",
            100.0 * LOAD,
            highest.times,
            highest.jobs
        ),
    }
    .found(
        format!(
            "mean change {change:.2} ± {:.2}, bound {bound:.2}; the proof holds from 10^{:.0} \
             jobs on",
            1.96 * error,
            lemma.log10_outside
        ),
        change,
        bound,
        if change + 1.96 * error <= bound {
            Outcome::Holds
        } else if change - 1.96 * error > bound {
            Outcome::DoesNotHold
        } else {
            Outcome::Undecided
        },
    );
    (claim, table)
}

/// A farm so small that a run can start outside the finite set: two servers that complete one job
/// per slot, at half load. One of them starts with more than 𝒞 jobs.
fn outside(setting: &Setting<'_>) -> Claim {
    let class = Class::new("one", 2, "constant:1".parse().expect("a capacity"));
    let servers = Servers::of(vec![class]).expect("two servers");
    let arrivals = grid::arrivals(&servers, 0.5);
    let lemma = Lemma33::of(&model(&servers, &arrivals)).expect("stable, and two servers");
    let outside = 10f64.powf(lemma.log10_outside).ceil() as u32 + 1;
    let run = pi(arrivals, &lemma);
    let mut line = Line::start(&run, &servers, Length::of(outside), setting.seed, 0)
        .expect("a good policy")
        .from_queues(&[outside, 0]);
    let mut capacities = Capacities::of(&servers, setting.seed, 0);
    let mut batches = run.arrivals.start().expect("no file is read");
    let mut arriving = setting.seed.stream(ARRIVALS, 0, 0);
    for _ in 0..outside {
        capacities.draw(1);
        line.slots(&[batches.next_batch(&mut arriving)], |_| capacities.slot(0));
    }
    let drift = line.finish().drift.expect("it was watched");
    let level = drift.levels.last().copied().unwrap_or_default();
    let bound = lemma.most_change(level.slots as f64);
    Sentence {
        claim: "outside the finite set of the proof, the drift is at most −ε for each slot",
        stated: STATED,
        checked: format!("two servers at 50 %, from {outside} jobs at one of them"),
    }
    .found(
        format!(
            "change {:.3e} in {} slots, bound {bound:.3e}",
            level.change, level.slots
        ),
        level.change,
        bound,
        level.times == 1 && level.change <= bound,
    )
}
