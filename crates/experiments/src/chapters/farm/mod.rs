//! PI's server farm: Figures 1 and 2, the claims of sections 4.2 and 4.3, and Lemma 3.3.

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
use grid::{FigureGrid, FigurePlan};
use queues::{advantage_of_jsq, queues};
use stability::stability;

pub(super) use grid::{arrivals, farm, named};

pub(super) const TITLE: &str = "The server farm: Persistent-Idle and other dispatch policies";

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let plan = FigurePlan::of(setting.scale);
    setting.expect(plan.portions() + beyond::portion_count(setting) + drift::RUNS);
    let grid = FigureGrid::simulate(setting, plan);
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
            "The experiments of PI section 4. There are 100 servers: slow ones complete one job \
             per slot, fast ones between 1 and 19. Batches are Poisson. Each run has {} slots; \
             there are {} loads and three mixes of slow and fast servers, with whole batches \
             (Figure 1) and split batches (Figure 2). In each farm and at each load, all policies \
             see the same arrivals and capacities (common random numbers). The plots omit runs \
             with the verdict unstable, which have no mean; the paper truncates such points. \
             Queues of two policies are compared by paired differences with 95 % intervals. The \
             paper gives no numbers: here “comparable” means at most 10 % more, and “much larger” \
             at least 50 % more.",
            grid.plan.slots,
            grid.plan.loads.len(),
        ),
        measured: false,
        claims,
        tables,
        plots: figures::plots(&grid),
    }
}

/// The claims of PI sections 4.2 and 4.3 about stability, queues and completion times.
fn sentences(grid: &FigureGrid) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (batches, stated) in [(Batches::Whole, UNSPLIT), (Batches::Split, SPLIT)] {
        claims.extend(stability(grid, batches, stated));
        claims.extend(queues(grid, batches, stated));
        claims.extend(completion_times(grid, batches, stated));
    }
    claims.push(advantage_of_jsq(grid));
    claims
}
