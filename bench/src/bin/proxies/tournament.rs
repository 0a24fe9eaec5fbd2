//! The tournament: every policy in every scenario, with one, two and eight dispatchers, and how
//! much worse than the best of them it is.

use std::error::Error;
use std::io::{self, Write};

use filch_balance::trial::Summary;
use filch_policy::dispatch::Spec;
use filch_report::markdown_table::{self, Align};
use filch_report::number::measured;
use filch_sim::fleet::scenario::{ALL, Scenario};
use serde::Serialize;
use serde_json::json;

use crate::args::Tournament;
use crate::balancers::Model;
use crate::simulated_dispatcher::{self, Watch};

const DISPATCHERS: [usize; 3] = [1, 2, 8];

/// A policy in a scenario.
#[derive(Clone, Debug, Default, Serialize)]
struct Cell {
    scenario: String,
    policy: String,
    dispatchers: usize,
    mean: f64,
    p99: f64,
    /// The share of requests that failed.
    failed: f64,
    /// The longest time for which the server that recovered or joined had no request, in seconds.
    without: Option<f64>,
    /// The longest time between two requests for it, in seconds.
    between: Option<f64>,
    diverged: bool,
    /// By how many parts the mean, and p99, exceed the best of all policies in this scenario.
    regret: f64,
    regret_p99: f64,
}

/// A policy that diverges, or an excess beyond this, counts as this.
const MOST_REGRET: f64 = 4.0;

/// Plays all matches and prints the table.
pub(crate) fn print(task: &Tournament) -> Result<(), Box<dyn Error>> {
    if task.scenarios().next().is_none() {
        let titles: Vec<String> = ALL.iter().map(Scenario::title).collect();
        let titles = titles.join("; ");
        return Err(format!("no scenario has this in its title: there are {titles}").into());
    }
    let mut cells = play(task);
    compare(&mut cells, task.policies.len());
    let mut out = io::stdout().lock();
    if task.json {
        serde_json::to_writer(&mut out, &json!({ "tournament": cells }))?;
        return Ok(writeln!(out)?);
    }
    for dispatchers in DISPATCHERS {
        matches(&mut out, task, &cells, dispatchers)?;
    }
    standings(&mut out, task, &cells)?;
    Ok(())
}

/// All cells: by dispatchers, then scenario, then policy.
fn play(task: &Tournament) -> Vec<Cell> {
    let matches = DISPATCHERS.iter().flat_map(|&dispatchers| {
        let scenarios = task.scenarios();
        scenarios.flat_map(move |scenario| {
            let policies = task.policies.iter();
            policies.map(move |&policy| (scenario, policy, dispatchers))
        })
    });
    let matches: Vec<(&Scenario, Spec, usize)> = matches.collect();
    let mut cells = vec![Cell::default(); matches.len()];
    filch::scope(|scope| {
        for (&(scenario, policy, dispatchers), cell) in matches.iter().zip(&mut cells) {
            scope.spawn(move |_| *cell = one_match(task, scenario, policy, dispatchers));
        }
    });
    cells
}

fn one_match(task: &Tournament, scenario: &Scenario, policy: Spec, dispatchers: usize) -> Cell {
    let model = Model {
        policy,
        dispatchers,
        learned: true,
    };
    let watch = scenario.watched.map(Watch::new);
    let (fleet, length) = (scenario.fleet(), scenario.horizon());
    let (outcome, alone) = simulated_dispatcher::run(&fleet, length, task.seed, model, watch);
    let requests = outcome.latencies.len() as f64;
    let summary = Summary::of(outcome.latencies);
    Cell {
        scenario: scenario.title(),
        policy: policy.to_string(),
        dispatchers,
        mean: summary.mean,
        p99: summary.p99,
        failed: outcome.failed as f64 / requests,
        without: alone.map(|it| it.without / 1e3),
        between: alone.map(|it| it.between / 1e3),
        diverged: outcome.ended.is_some(),
        ..Cell::default()
    }
}

/// Fills in the regrets; the policies of one scenario are next to one another.
fn compare(cells: &mut [Cell], policies: usize) {
    for rivals in cells.chunks_mut(policies) {
        let least = |figure: fn(&Cell) -> f64| {
            let finite = rivals.iter().filter(|cell| !cell.diverged);
            finite.map(figure).fold(f64::INFINITY, f64::min)
        };
        let (mean, p99) = (least(|cell| cell.mean), least(|cell| cell.p99));
        for cell in rivals {
            let regret = |figure: f64, best: f64| {
                if cell.diverged {
                    MOST_REGRET
                } else {
                    (figure / best - 1.0).min(MOST_REGRET)
                }
            };
            (cell.regret, cell.regret_p99) = (regret(cell.mean, mean), regret(cell.p99, p99));
        }
    }
}

/// Mean / p99 of each policy in each scenario.
fn matches(
    out: &mut impl Write,
    task: &Tournament,
    cells: &[Cell],
    dispatchers: usize,
) -> io::Result<()> {
    let titles =
        std::iter::once("scenario".to_owned()).chain(task.policies.iter().map(Spec::to_string));
    let columns: Vec<_> = titles.map(|title| (title, Align::Left)).collect();
    writeln!(out, "\nDispatchers: {dispatchers}\n")?;
    write!(out, "{}", markdown_table::head(&columns))?;
    let rows = cells.chunks(task.policies.len());
    for row in rows.filter(|row| row[0].dispatchers == dispatchers) {
        let name = row[0].scenario.clone();
        let cells = row.iter().map(Cell::short);
        write!(
            out,
            "{}",
            markdown_table::row(std::iter::once(name).chain(cells))
        )?;
    }
    Ok(())
}

impl Cell {
    fn short(&self) -> String {
        if self.diverged {
            return "diverges".into();
        }
        let mut text = format!("{} / {}", measured(self.mean), measured(self.p99));
        if self.failed > 0.0 {
            text += &format!(", {:.1} % fail", 100.0 * self.failed);
        }
        if let Some(without) = self.without {
            text += &format!(", {without:.1} s without");
        }
        text
    }
}

/// The mean and the worst regret of each policy, over all matches.
fn standings(out: &mut impl Write, task: &Tournament, cells: &[Cell]) -> io::Result<()> {
    let titles = [
        "policy",
        "mean regret",
        "of p99",
        "worst regret",
        "of p99",
        "worst match",
    ];
    let columns: Vec<_> = titles.map(|title| (title, Align::Left)).into();
    writeln!(out)?;
    write!(out, "{}", markdown_table::head(&columns))?;
    for policy in &task.policies {
        let name = policy.to_string();
        let own: Vec<&Cell> = cells.iter().filter(|cell| cell.policy == name).collect();
        let mean = |figure: fn(&Cell) -> f64| {
            own.iter().map(|cell| figure(cell)).sum::<f64>() / own.len() as f64
        };
        let worst =
            |figure: fn(&Cell) -> f64| own.iter().map(|cell| figure(cell)).fold(0.0, f64::max);
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let by_regret = |a: &&&Cell, b: &&&Cell| a.regret.total_cmp(&b.regret);
        let worst_match = own.iter().max_by(by_regret).map_or(String::new(), |cell| {
            format!("{}, dispatchers: {}", cell.scenario, cell.dispatchers)
        });
        let row = [
            name,
            percent(mean(|cell| cell.regret)),
            percent(mean(|cell| cell.regret_p99)),
            percent(worst(|cell| cell.regret)),
            percent(worst(|cell| cell.regret_p99)),
            worst_match,
        ];
        write!(out, "{}", markdown_table::row(row))?;
    }
    Ok(())
}

impl Tournament {
    fn scenarios(&self) -> impl Iterator<Item = &'static Scenario> + '_ {
        let named = |scenario: &&Scenario| {
            let title = scenario.title();
            self.scenario.is_empty() || self.scenario.iter().any(|it| title.contains(&**it))
        };
        ALL.iter().filter(named)
    }
}
