//! How fast finite n comes to the limit.

use filch_random::Seed;
use filch_sim::fleet::{Fleet, Horizon, PolicyFront, simulate};
use filch_stats::{Confidence, power_law, replications};
use filch_theory::limit::{NaturalLimit, Supermarket, solve, trajectory};
use filch_workload::{ArrivalTimes, ServiceTime};

use crate::chapters::{Scale, Setting};
use crate::natural::{Process, Replication, RunLength};
use crate::values::{Axis, Cell, Claim, Origin, Outcome, Plot, Point, Series, Table};

/// The rate of all of them.
const LAMBDA: f64 = 0.9;
/// Jobs up to which the equations are followed for the warm-up.
const FOLLOWED: usize = 128;
/// The warm-up ends when the equations are as close as this.
const SETTLED: f64 = 1e-6;
/// A true claim is rejected by chance in one report out of ten thousand.
const CONFIDENCE: f64 = 0.9999;

/// What has a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    /// The natural process with generators uniform and this steal function.
    Natural(&'static str),
    /// The supermarket with two choices.
    TwoChoices,
}

const MODELS: [Model; 3] = [
    Model::Natural("half"),
    Model::Natural("one"),
    Model::TwoChoices,
];

impl Model {
    fn name(self) -> String {
        match self {
            Self::Natural(steal) => format!("natural:{steal}"),
            Self::TwoChoices => "jsq:2".to_owned(),
        }
    }

    /// The mean load of a processor as n → ∞, its error, and the time to come close to it.
    fn limit(self) -> (f64, f64, u64) {
        let (limit, means) = match self {
            Self::Natural(steal) => {
                let model = NaturalLimit::new(LAMBDA, Self::steal(steal));
                (solve(&model), trajectory(&model, FOLLOWED, 2000).0)
            }
            Self::TwoChoices => {
                let model = Supermarket {
                    lambda: LAMBDA,
                    choices: 2,
                };
                (solve(&model), trajectory(&model, FOLLOWED, 400).0)
            }
        };
        let limit = limit.expect("these have limits");
        let far = |mean: &f64| (mean - limit.mean).abs() > SETTLED;
        let warm_up = means.iter().rposition(far).map_or(0, |last| last + 1);
        (limit.mean, limit.error, warm_up as u64)
    }

    fn steal(name: &str) -> filch_policy::steal::StealFunction {
        name.parse().expect("a steal function")
    }

    /// The mean load of a processor in one run with n processors, after the warm-up.
    fn run(self, n: usize, warm_up: u64, counted: u64, seed: Seed, number: u64) -> f64 {
        match self {
            Self::Natural(steal) => {
                let process = Process::named(n, LAMBDA, steal, "uniform");
                let length = RunLength {
                    steps: warm_up + counted,
                    warmup: warm_up,
                    cut: u64::MAX,
                };
                let run = Replication::run(&process, length, seed, number, || {});
                run.mean_load().expect("it is not cut") / n as f64
            }
            Self::TwoChoices => {
                let service = ServiceTime::exponential(1.0).expect("a mean above 0");
                let arrivals = ArrivalTimes::new(LAMBDA * n as f64, 1).expect("a rate above 0");
                let fleet = Fleet::of(vec![service; n], arrivals);
                let policy = "jsq:2".parse().expect("a policy");
                let fronts = PolicyFront::fronts(policy, &fleet, 1, true, seed, number)
                    .expect("enough servers");
                let horizon = Horizon {
                    warm_up: warm_up as f64,
                    most_present: usize::MAX,
                    ..Horizon::of((warm_up + counted) as f64)
                };
                let outcome = simulate(&fleet, fronts, horizon, seed, number);
                // Little's law.
                let time = outcome.latencies.iter().sum::<f64>() / outcome.latencies.len() as f64;
                LAMBDA * time
            }
        }
    }
}

/// How much to run.
pub(super) struct LimitPlan {
    processors: Vec<usize>,
    /// Processor-steps of each run after the warm-up; a fiftieth of them for the supermarket, whose
    /// events cost more.
    effort: u64,
    replications: usize,
}

/// One model with one n.
struct LimitCell {
    model: Model,
    n: usize,
    means: Vec<f64>,
}

impl LimitPlan {
    pub(super) fn of(scale: Scale) -> Self {
        let most = scale.pick(3, 4, 6);
        Self {
            processors: (1..=most).map(|power| 10usize.pow(power)).collect(),
            effort: scale.pick(20_000, 1_000_000, 100_000_000),
            replications: scale.pick(3, 8, 8),
        }
    }

    /// The supermarket has no run with the largest n: its events cost more.
    fn cells(&self) -> Vec<(Model, usize)> {
        let most = self.processors.last().copied().unwrap_or(0);
        let fits = |model: Model, n: usize| model != Model::TwoChoices || n < most.min(100_000);
        let each = |model: Model| self.processors.iter().map(move |&n| (model, n));
        let all = MODELS.into_iter().flat_map(each);
        all.filter(|&(model, n)| fits(model, n)).collect()
    }

    pub(super) fn runs(&self) -> usize {
        self.cells().len() * self.replications
    }

    pub(super) fn write(&self, setting: &Setting<'_>) -> (Vec<Claim>, Table, Plot) {
        let limits = MODELS.map(Model::limit);
        let limit_of = |model: Model| {
            let at = MODELS.iter().position(|&known| known == model);
            limits[at.expect("one of them")]
        };
        let cells = self.cells();
        let means = setting.runs(cells.len() * self.replications, |run| {
            let (cell, number) = (
                run as usize / self.replications,
                run as usize % self.replications,
            );
            let (model, n) = cells[cell];
            let effort = match model {
                Model::Natural(_) => self.effort,
                Model::TwoChoices => self.effort / 50,
            };
            let counted = (effort / n as u64).max(20);
            let (_, _, warm_up) = limit_of(model);
            // Different n draw from different streams.
            let number = (cell * self.replications + number) as u64;
            model.run(n, warm_up, counted, setting.seed, number)
        });
        let measured: Vec<LimitCell> = cells
            .iter()
            .zip(means.chunks(self.replications))
            .map(|(&(model, n), means)| LimitCell {
                model,
                n,
                means: means.to_vec(),
            })
            .collect();
        let claims = MODELS.map(|model| comes_to_it(&measured, model, limit_of(model)));
        let mut claims = claims.to_vec();
        claims.extend(MODELS.map(|model| how_fast(&measured, model, limit_of(model))));
        let table = table(&measured, limit_of);
        (claims, table, plot(&measured, limit_of))
    }
}

fn interval(means: &[f64]) -> Option<[f64; 2]> {
    let estimate = replications(means, Confidence::NINETY_FIVE).ok()?;
    let interval = estimate.interval();
    Some([interval.lo, interval.hi])
}

fn mean(means: &[f64]) -> f64 {
    means.iter().sum::<f64>() / means.len() as f64
}

/// At the largest n the limit is within the interval of the simulation, widened by what the
/// simulated n still differs: as much as at a tenth of it, divided by ten.
fn comes_to_it(cells: &[LimitCell], model: Model, (limit, error, _): (f64, f64, u64)) -> Claim {
    let of_model: Vec<&LimitCell> = cells.iter().filter(|cell| cell.model == model).collect();
    let largest = of_model.last();
    let confidence = Confidence::new(CONFIDENCE).expect("a confidence");
    let found = largest.and_then(|cell| {
        let estimate = replications(&cell.means, confidence).ok()?;
        Some((cell.n, (estimate.mean - limit).abs(), estimate.half_width))
    });
    let smallest = of_model.first().map_or(0.0, |cell| {
        (mean(&cell.means) - limit).abs() * cell.n as f64
    });
    let allowed = found.map(|(n, _, half_width)| half_width + smallest / n as f64 + error);
    Claim {
        claim: format!(
            "as n grows, the mean load of {} with λ = {LAMBDA} comes to its limit {limit:.6}",
            model.name()
        ),
        stated: "filch, docs/models.md",
        checked: format!("n = {}, independent runs", found.map_or(0, |(n, _, _)| n)),
        found: found.map_or("nothing".to_owned(), |(_, off, half_width)| {
            format!("off by {off:.2e}, with an interval of ± {half_width:.2e} (99.99 %)")
        }),
        measured: found.map(|(_, off, _)| off),
        bound: allowed,
        outcome: Outcome::if_decided(found.zip(allowed).map(|((_, off, _), most)| off <= most)),
    }
}

/// The distance from the limit, where it is more than its interval, falls like a power of n.
fn how_fast(cells: &[LimitCell], model: Model, (limit, ..): (f64, f64, u64)) -> Claim {
    let clear: Vec<(f64, f64)> = cells
        .iter()
        .filter(|cell| cell.model == model)
        .filter_map(|cell| {
            let [low, high] = interval(&cell.means)?;
            let distance = mean(&cell.means) - limit;
            ((high - low) < distance.abs()).then_some((cell.n as f64, distance.abs()))
        })
        .collect();
    let exponent = match &*clear {
        [.., _, _] => {
            let ends = (clear[0], clear[clear.len() - 1]);
            let ((first, high), (last, low)) = ends;
            Some((low / high).ln() / (last / first).ln())
        }
        _ => None,
    };
    let line = power_law(&clear, Confidence::NINETY_FIVE).ok();
    let exponent = line.map_or(exponent, |line| Some(line.exponent.mean));
    Claim {
        claim: format!(
            "the distance of {} from its limit falls about as 1/n: faster than n^−0.75",
            model.name()
        ),
        stated: "filch, docs/models.md",
        checked: format!(
            "{} values of n whose distance is more than noise",
            clear.len()
        ),
        found: exponent.map_or("too few values of n".to_owned(), |exponent| {
            format!("as n^{exponent:.2}")
        }),
        measured: exponent,
        bound: Some(-0.75),
        outcome: Outcome::if_decided(exponent.map(|exponent| exponent < -0.75)),
    }
}

fn table(cells: &[LimitCell], limit_of: impl Fn(Model) -> (f64, f64, u64)) -> Table {
    let row = |cell: &LimitCell| {
        let (limit, _, warm_up) = limit_of(cell.model);
        let ends = interval(&cell.means);
        let real = |value: Option<f64>| value.map_or(Cell::Text("–".to_owned()), Cell::Real);
        let found = mean(&cell.means);
        vec![
            cell.model.name().into(),
            (cell.n as u64).into(),
            warm_up.into(),
            found.into(),
            real(ends.map(|[low, _]| low)),
            real(ends.map(|[_, high]| high)),
            limit.into(),
            (found - limit).into(),
            ((found - limit) * cell.n as f64).into(),
        ]
    };
    Table {
        title: format!("The mean load of a processor over n, λ = {LAMBDA}, and its limit"),
        columns: vec![
            "process",
            "n",
            "warm-up",
            "mean load",
            "95 % from",
            "95 % to",
            "limit",
            "distance",
            "n · distance",
        ],
        rows: cells.iter().map(row).collect(),
    }
}

fn plot(cells: &[LimitCell], limit_of: impl Fn(Model) -> (f64, f64, u64)) -> Plot {
    let mut series = Vec::new();
    for model in MODELS {
        let of_model = || cells.iter().filter(|cell| cell.model == model);
        series.push(Series {
            name: model.name(),
            origin: Origin::Simulated,
            points: of_model()
                .map(|cell| Point {
                    x: cell.n as f64,
                    y: mean(&cell.means),
                    interval: interval(&cell.means),
                })
                .collect(),
        });
        let (limit, ..) = limit_of(model);
        series.push(Series {
            name: format!("{}, n → ∞", model.name()),
            origin: Origin::Theory,
            points: of_model()
                .map(|cell| Point {
                    x: cell.n as f64,
                    y: limit,
                    interval: None,
                })
                .collect(),
        });
    }
    Plot {
        id: "models-limits".to_owned(),
        title: format!("Mean load of a processor over n, λ = {LAMBDA}, and its limit"),
        x: Axis {
            label: "processors n",
            logarithmic: true,
        },
        y: Axis {
            label: "mean load of a processor, in jobs",
            logarithmic: false,
        },
        series,
        command: "filch natural --processors N --lambda 0.9 --generators uniform --limit"
            .to_owned(),
    }
}
