//! The table of long simulations: one, two and eight dispatchers, speeds known and learned.

use std::error::Error;
use std::io::{self, Write};

use filch_report::markdown_table::{self, Align};
use serde_json::json;

use crate::args::Simulate;
use crate::balancers::Model;
use crate::figures::Figures;
use crate::setting::Setting;
use crate::simulated_dispatcher;

/// Simulates every policy of the task, and prints a row when it is done.
pub(crate) fn print(task: &Simulate) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    let mut all = Vec::new();
    if !task.json {
        let names = ["policy", "dispatchers", "speeds"].map(str::to_owned);
        let titles = names
            .into_iter()
            .chain(task.settings.iter().map(Setting::name));
        let columns: Vec<_> = titles.map(|title| (title, Align::Left)).collect();
        write!(out, "{}", markdown_table::head(&columns))?;
    }
    for model in models(task) {
        let (policy, dispatchers) = (model.policy, model.dispatchers);
        let speeds = match (policy.needs().speeds, model.learned) {
            (false, _) => "–",
            (true, false) => "known",
            (true, true) => "learned",
        };
        let figures = in_all_settings(&task.settings, model);
        if task.json {
            let settings = task.settings.iter().map(Setting::name);
            let cells: Vec<_> = settings.zip(&figures).collect();
            all.push(json!({
                "policy": policy.to_string(),
                "dispatchers": dispatchers,
                "speeds": speeds,
                "figures": cells,
            }));
            continue;
        }
        let names = [
            policy.to_string(),
            dispatchers.to_string(),
            speeds.to_owned(),
        ];
        let cells = figures.iter().map(Figures::short);
        let row = markdown_table::row(names.into_iter().chain(cells));
        write!(out, "{row}")?;
        out.flush()?;
    }
    if task.json {
        serde_json::to_writer(&mut out, &json!({ "simulated": all }))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Every policy with one, two and eight dispatchers; those that need speeds with both kinds.
fn models(task: &Simulate) -> impl Iterator<Item = Model> {
    task.policies.iter().flat_map(|&policy| {
        let learned: &[bool] = if policy.needs().speeds {
            &[false, true]
        } else {
            &[false]
        };
        [1, 2, 8].into_iter().flat_map(move |dispatchers| {
            learned.iter().map(move |&learned| Model {
                policy,
                dispatchers,
                learned,
            })
        })
    })
}

/// One model in all settings, in parallel.
fn in_all_settings(settings: &[Setting], model: Model) -> Vec<Figures> {
    let mut figures = vec![Figures::default(); settings.len()];
    filch::scope(|scope| {
        for (setting, figures) in settings.iter().zip(&mut figures) {
            scope.spawn(move |_| *figures = simulated_dispatcher::figures(setting, model));
        }
    });
    figures
}
