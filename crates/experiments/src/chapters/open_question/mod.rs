//! The question that BFG03 leaves open: how large is the load really, and which functions are
//! stable?

mod brackets;
mod critical;
mod fits;
mod grid;
mod loads;

use crate::chapters::Setting;
use crate::values::Chapter;
use critical::ConstantSearch;
use grid::Grid;

pub(super) const TITLE: &str = "The natural process: how far the bounds are from the truth";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let grid = Grid::of(setting.scale);
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

fn text(setting: &Setting<'_>, grid: &Grid) -> String {
    format!(
        "BFG03 ends by suspecting that the system load is far below its upper bounds and asks for rigorous experiments, and for \
         a characterisation of the steal functions that lead to stability. Method: every process is run from empty queues with 512 \
         steps, 1024, … until its stability verdict is definite (at most 1 % of the processes that are not overloaded are called \
         unstable, at most 1 % of those that do not settle stable) or {:.0e} processor-steps are spent; then it is run anew, on \
         other random numbers, with twice as many steps (up to three sets of such runs until one has a definite verdict, so \
         errors are at most three times as frequent), and only those count: their verdict, and the mean load over their second \
         halves with a 95 % Student interval over {} independent runs. Bounds are Theorem 12's with c = 2; what its proof needs is far \
         larger (see the chapter before), so every distance shown here is smaller than the true one. Growth is fitted by \
         least squares on logarithms, with 95 % intervals that treat the distance from a straight line as noise. ConstantSearch constant steal amounts \
         are bracketed by bisection on the verdict, down to a sixteenth of the amount. Seed {}. A single cell: filch natural --processors N --lambda L \
         --steal F --generators G --steps K --warmup K/2 --replications {}.",
        grid.effort.most as f64, grid.effort.replications, setting.seed, grid.effort.replications,
    )
}
