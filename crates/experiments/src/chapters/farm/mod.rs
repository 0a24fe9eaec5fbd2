//! PI's server farm: Figures 1 and 2, the claims of sections 4.2 and 4.3, and Lemma 3.3.

mod bad_starts;
mod beyond;
mod claims;
mod completion_times;
mod conditional;
mod contest;
mod distributions;
mod drift;
mod figures;
mod gap;
mod grid;
mod laws;
mod looks;
mod messages;
mod queues;
mod ratios;
mod service_laws;
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
    let others = [
        beyond::portion_count(setting),
        drift::RUNS,
        conditional::STATES,
        bad_starts::SETS,
        distributions::SETS,
        service_laws::SETS,
        laws::sets(setting),
        gap::RUNS,
    ];
    setting.expect(plan.portions() + others.iter().sum::<usize>());
    let grid = FigureGrid::simulate(setting, plan);
    let (drift_claims, drift_tables) = drift::write(setting);
    let (conditional_claim, conditional_table) = conditional::write(setting);
    let (starts_claim, starts_table) = bad_starts::write(setting);
    let (times_claims, times_table) = distributions::write(setting, &grid);
    let (service_claim, service_table) = service_laws::write(setting);
    let (laws_claims, laws_table) = laws::write(setting);
    let mut claims = sentences(setting, &grid);
    claims.extend(times_claims);
    claims.extend(messages::of(&grid));
    claims.push(service_claim);
    claims.push(starts_claim);
    claims.extend(laws_claims);
    claims.extend(drift_claims);
    claims.push(conditional_claim);
    claims.extend(gap::write(setting));
    let mut tables = vec![figures::verdicts(&grid), times_table, service_table];
    tables.extend([starts_table, laws_table]);
    tables.extend(drift_tables);
    tables.push(conditional_table);
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
             at least 50 % more. A claim about stability that holds wherever a verdict was given is \
             undecided as long as one run is undecided. Completion times are also compared as \
             distributions, which is what the figures show. The paper’s proof of Theorem 3.4 uses \
             two facts that splitting breaks; both are counted, and the theorem stands \
             (filch_theory::farm::pi_is_stable). Where a sentence of the paper does not hold here, \
             docs/farm.md says why.",
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
fn sentences(setting: &Setting<'_>, grid: &FigureGrid) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (batches, stated) in [(Batches::Whole, UNSPLIT), (Batches::Split, SPLIT)] {
        claims.extend(stability(setting, grid, batches, stated));
        claims.extend(queues(grid, batches, stated));
        claims.extend(completion_times(grid, batches, stated));
    }
    claims.push(advantage_of_jsq(grid));
    claims
}
