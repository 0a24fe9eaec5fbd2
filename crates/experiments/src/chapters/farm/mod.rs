//! PI's server farm: Figures 1 and 2, every claim of sections 4.2 and 4.3, Lemma 3.3.

mod beyond;
mod claims;
mod completion_times;
mod contest;
mod drift;
mod figures;
mod grid;
mod messages;
mod queues;
mod ratios;
mod stability;

use filch_sim::farm::Batches;

use crate::chapters::Setting;
use crate::values::{Chapter, Claim};
use claims::{SPLIT, UNSPLIT};
use completion_times::completion_times;
use grid::{FigurePlan, Grid};
use queues::{advantage_of_jsq, queues};
use stability::stability;

pub(super) use grid::{arrivals, farm, named};

pub(super) const TITLE: &str = "The server farm: Persistent-Idle and its rivals";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let plan = FigurePlan::of(setting.scale);
    setting.expect(plan.portions() + beyond::runs(setting) + drift::RUNS);
    let grid = Grid::simulate(setting, plan);
    let (drift_claims, drift_tables) = drift::write(setting);
    let mut claims = sentences(&grid);
    claims.extend(messages::of(&grid));
    claims.extend(drift_claims);
    let mut tables = vec![figures::verdicts(&grid)];
    tables.extend(drift_tables);
    tables.push(beyond::table(setting));
    Chapter {
        id: "farm",
        title: TITLE,
        text: format!(
            "PI section 4: 100 servers, slow ones that complete one job a slot and fast ones that \
             complete 1 to 19, Poisson batches, {} slots for each of {} loads, three mixes, whole batches \
             (Figure 1) and split ones (Figure 2). All policies of one farm and load meet the same \
             arrivals and capacities. The plots leave out what the verdict calls unstable, since it has \
             no mean; the paper cuts such points off at the top. What is said of queues is decided on \
             paired differences with 95 % intervals where two policies are compared. The paper gives \
             no numbers, so where it says “comparable” the bound here is a tenth more, and where it \
             says “much larger” a half more.",
            grid.plan.slots,
            grid.plan.loads.len(),
        ),
        measured: false,
        claims,
        tables,
        plots: figures::plots(&grid),
    }
}

/// What PI sections 4.2 and 4.3 say of stability, queues and completion times.
fn sentences(grid: &Grid) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (batches, stated) in [(Batches::Whole, UNSPLIT), (Batches::Split, SPLIT)] {
        claims.extend(stability(grid, batches, stated));
        claims.extend(queues(grid, batches, stated));
        claims.extend(completion_times(grid, batches, stated));
    }
    claims.push(advantage_of_jsq(grid));
    claims
}
