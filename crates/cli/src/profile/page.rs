//! The page for a terminal.

use std::fmt::Write as _;

use filch_experiments::profile::{BOUND, Measured, Total, WhatIf};
use filch_report::number::decimals;
use filch_report::profile::{per_cent, place, time};

use super::Conclusions;
use super::chart::chart;
use super::tables::{critical_path, predictions, sites};
use crate::output::{count, printable};

impl Conclusions {
    /// The conclusions as people read them, in plain text.
    pub fn page(&self) -> String {
        let mut text = String::new();
        self.program(&mut text);
        self.totals(&mut text);
        self.costs_line(&mut text);
        if let Some(what) = self.changed.as_ref().map(|(what, _)| what) {
            let _ = writeln!(text, "what if: {}", self.sentence(what));
        }
        let _ = write!(text, "\n{}", predictions(self));
        let _ = writeln!(
            text,
            "bound: T1/P + {BOUND}·Tinf, with the burden of a steal for each fork on the path"
        );
        let lengthened = self.prediction.lengthened;
        if lengthened.picos() > 0 {
            let _ = writeln!(
                text,
                "what has less than {} of work was replayed as one strand: the span is {} longer",
                time(self.prediction.least),
                time(lengthened)
            );
        }
        let _ = write!(text, "\nspeed-up\n{}", chart(&self.prediction.rows));
        for (title, (table, more)) in [
            ("sites", sites(self)),
            ("critical path", critical_path(self)),
        ] {
            let _ = write!(text, "\n{title}\n{table}");
            if more > 0 {
                let _ = writeln!(text, "and {more} more: --json has all");
            }
        }
        let hints = self.hints();
        if !hints.is_empty() {
            text.push('\n');
        }
        for hint in hints {
            let _ = writeln!(text, "hint: {}", printable(&hint));
        }
        text
    }

    /// What ran, and what recording did to it.
    fn program(&self, text: &mut String) {
        let program = &self.profile.program;
        let _ = writeln!(text, "{}", printable(&program.command.join(" ")));
        if let Some(section) = self.section {
            let entered = &self.profile.sections[0];
            let place = printable(&place(&self.profile, entered.site));
            let _ = writeln!(text, "section {section}: {place}");
        }
        let spent = self.profile.recording.spent;
        let work = self.analysis.total.work;
        let share = spent.picos() as f64 / (work + spent).picos().max(1) as f64;
        let _ = writeln!(
            text,
            "recorded on {} of {} in {}; recording took {} of the workers' time, which is \
             subtracted",
            count(program.threads.into(), "thread"),
            count(program.processors.into(), "processor"),
            time(program.wall),
            per_cent(share)
        );
    }

    fn totals(&self, text: &mut String) {
        let total = &self.analysis.total;
        let sections = self.profile.sections.len() as u64;
        let _ = writeln!(
            text,
            "work {} in {}, span {}, burdened {}; outside of them {}",
            time(total.work),
            count(sections, "section"),
            time(total.span),
            time(total.burdened_span),
            time(total.serial)
        );
        let _ = writeln!(
            text,
            "parallelism {}, burdened {}; {}, {}, mean grain {}",
            decimals(total.parallelism(), 1),
            decimals(total.burdened_parallelism(), 1),
            forks(total),
            count(total.steals, "steal"),
            time(total.mean_grain)
        );
    }

    fn costs_line(&self, text: &mut String) {
        let line = match &self.costs {
            Some(costs) => format!(
                "costs measured now: fork {}, steal {}, wake-up {}",
                cost(&costs.fork),
                cost(&costs.steal),
                cost(&costs.wake)
            ),
            None => format!(
                "costs as given: fork {}, steal {}, wake-up {}",
                time(self.prices.fork),
                time(self.prices.steal),
                time(self.prices.wake)
            ),
        };
        let _ = writeln!(text, "{line}");
        let grain = &self.analysis.grain;
        let _ = writeln!(
            text,
            "a job below {} is not worth a steal; below {} between forks, these take more than 5 %",
            time(grain.break_even),
            time(grain.fine)
        );
    }

    /// A change in words.
    fn sentence(&self, what: &WhatIf) -> String {
        let change = match what {
            WhatIf::Faster(_, factor) => format!("takes {} times less time", decimals(*factor, 3)),
            WhatIf::Serial(_) => "does not fork".to_owned(),
            WhatIf::CutOff(_, least) => {
                format!(
                    "does not fork where there is less work than {}",
                    time(*least)
                )
            }
        };
        let site = what.site();
        format!(
            "site {}, {}, {change}",
            site.0,
            printable(&place(&self.profile, site))
        )
    }
}

/// The price of a replay, and the quartiles of what was measured.
fn cost(measured: &Measured) -> String {
    if measured.is_missing() {
        return "not measured".to_owned();
    }
    let [low, high] = measured.quartiles.map(time);
    format!("{} ({low} … {high})", time(measured.low))
}

/// How many forks there were, and how many of them no caller waits for.
fn forks(total: &Total) -> String {
    let forks = count(total.forks, "fork");
    match total.detached {
        0 => forks,
        detached if detached == total.forks => format!("{forks}, all jobs on their own"),
        1 => format!("{forks}, one of them a job on its own"),
        detached => format!("{forks}, {detached} of them jobs on their own"),
    }
}

#[cfg(test)]
mod tests {
    use filch_profile::Duration;

    use super::*;

    #[test]
    fn a_cost_that_could_not_be_measured_is_not_zero() {
        let of = |low, high| Measured {
            low: Duration::from_nanos(low),
            median: Duration::from_nanos(high),
            quartiles: [low, high].map(Duration::from_nanos),
        };
        assert_eq!(cost(&of(0, 0)), "not measured");
        assert_eq!(cost(&of(100, 300)), "100 ns (100 ns … 300 ns)");
    }
}
