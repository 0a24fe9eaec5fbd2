//! The questions that BFG03 leaves open: how large is the load, and which steal functions are
//! stable?

mod brackets;
mod critical;
mod fits;
mod grid;
mod loads;

use crate::chapters::Setting;
use crate::values::Chapter;
use critical::ConstantSearch;
use grid::LoadGrid;

pub(super) const TITLE: &str = "The natural process: how far are the bounds from the load?";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let grid = LoadGrid::of(setting.scale);
    let critical = ConstantSearch::of(setting.scale);
    setting.expect(grid.cells() + critical.cells());
    let cells = grid.measure(setting);
    let (mut claims, mut tables, mut plots) = loads::show(&cells);
    let (fit_claims, fit_tables) = fits::show(&cells);
    claims.extend(fit_claims);
    tables.splice(0..0, fit_tables);
    let (critical_claims, critical_table, critical_plot) = critical.write(setting);
    claims.extend(critical_claims);
    tables.insert(0, critical_table);
    plots.push(critical_plot);
    Chapter {
        id: "natural-open-question",
        title: TITLE,
        text: text(setting, &grid),
        measured: false,
        claims,
        tables,
        plots,
    }
}

fn text(setting: &Setting<'_>, grid: &LoadGrid) -> String {
    format!(
        "BFG03 ends with the conjecture that the system load is far below its upper bounds. It \
         asks for rigorous experiments, and for a characterisation of the steal functions that \
         lead to stability. Method: a process is run from empty queues with 512 steps, 1024, … \
         until its stability verdict is definite or {:.0e} processor-steps are spent. A verdict \
         is wrong for at most 1 % of the stable processes and at most 1 % of those that do not \
         settle. The process is then run again on fresh random numbers with twice as many steps. \
         There are up to three sets of such runs until one has a definite verdict, so errors are \
         at most three times as frequent. Only the last set counts: its verdict, and the mean \
         load over the second halves with a 95 % Student interval over {} independent runs. The \
         bounds are those of Theorem 12 with c = 2. The proof needs a far larger c (see the \
         chapter before), so the true distances are larger than those shown. Growth is fitted by \
         least squares on logarithms; the 95 % intervals treat the deviations from a straight \
         line as noise. Critical constant steal amounts are bracketed by bisection on the \
         verdict, to a sixteenth of the amount. Seed {}. For a single cell: filch natural \
         --processors N --lambda L --steal F --generators G --steps K --warmup K/2 --replications \
         {}.",
        grid.effort.most as f64, grid.effort.replications, setting.seed, grid.effort.replications,
    )
}
