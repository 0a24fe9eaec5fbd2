//! `filch dispatch`, with policies of a user's own among those that have names.

use std::sync::Arc;

use filch_cli::Failure;
use filch_cli::asked::AskedDispatch;
use filch_experiments::Progress as _;
use filch_experiments::dispatch::{FarmRun, Situation, SweepError};
use filch_experiments::parallel;
use filch_policy::dispatch::Start;
use filch_sim::farm::{FarmOutcome, Run, simulate_and_tell};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

use crate::attend::{attend, refused};
use crate::ending::until_ended;
use crate::object::ObjectPolicy;
use crate::pointer::Pointer;

/// A run in arrays: slots of each mean, mean queues; completion times in slots, and their jobs.
type RunArrays<'py> = (
    u32,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
);
/// The answer, the arrays of each run of each situation, and why a policy did not come to its end.
type FarmAnswer<'py> = (
    String,
    Vec<Vec<RunArrays<'py>>>,
    Option<Py<PyBaseException>>,
);
/// A policy of the user's own: its place in the list of policies, its name, and what makes it.
pub(crate) type Own = (usize, String, Py<PyAny>);

/// Simulates every policy in every situation. Without `named`, only the user's own policies.
///
/// If one of the user's own raises, the answer holds what was done before it, and the exception.
#[pyfunction]
pub(crate) fn farm(
    py: Python<'_>,
    words: Vec<String>,
    named: bool,
    own: Vec<Own>,
) -> PyResult<FarmAnswer<'_>> {
    let mut asked = AskedDispatch::read(&words).map_err(refused)?;
    if !named {
        asked.plan.policies.clear();
    }
    let asked = Arc::new(asked);
    let mut runs = with_names(py, &asked)?;
    let mut raised = None;
    for (place, name, make) in own {
        match of_one(py, &asked, &make) {
            Ok(outcomes) => {
                for (runs, outcome) in runs.iter_mut().zip(outcomes) {
                    let run = FarmRun::of(outcome.called(name.clone()), asked.plan.warm_up);
                    runs.insert(place.min(runs.len()), run);
                }
            }
            Err(error) => {
                raised = Some(error.into_value(py));
                break;
            }
        }
    }
    let arrays = runs
        .iter()
        .map(|runs| runs.iter().map(|run| arrays(py, run)).collect())
        .collect();
    let mut situations = situations(&asked);
    for (situation, runs) in situations.iter_mut().zip(runs) {
        situation.runs = runs;
    }
    Ok((asked.json(&situations), arrays, raised))
}

/// The runs of the policies that have names, by situation.
fn with_names(py: Python<'_>, asked: &Arc<AskedDispatch>) -> PyResult<Vec<Vec<FarmRun<String>>>> {
    let asked = Arc::clone(asked);
    attend(py, Some(asked.threads), move |attention| {
        let found = asked.plan.sweep().simulate(attention);
        let found = found.map_err(AskedDispatch::refused)?;
        let called = |run: FarmRun| {
            let name = run.estimates.policy.to_string();
            run.called(name)
        };
        let runs = found
            .into_iter()
            .map(|one| one.runs.into_iter().map(called).collect());
        Ok(runs.collect())
    })
}

/// The runs of one policy of the user's own, one for each situation.
fn of_one(
    py: Python<'_>,
    asked: &Arc<AskedDispatch>,
    make: &Py<PyAny>,
) -> PyResult<Vec<FarmOutcome<()>>> {
    if let Ok(pointer) = make.bind(py).cast::<Pointer>() {
        let (asked, policy) = (Arc::clone(asked), pointer.get().policy());
        return attend(py, Some(asked.threads), move |attention| {
            let count = situations(&asked).len();
            let outcomes = parallel::map(count, asked.threads, |at| {
                simulate(&asked, at, policy.clone(), || attention.going())
            });
            outcomes.into_iter().collect()
        });
    }
    let policy = ObjectPolicy::new(make.clone_ref(py));
    let all = 0..situations(asked).len();
    let outcomes = all.map(|at| {
        let look = || {
            if let Err(signal) = py.check_signals() {
                crate::ending::Ending::Raised(signal).end();
            }
        };
        until_ended(|| simulate(asked, at, policy.clone(), look))?.map_err(refused)
    });
    outcomes.collect()
}

/// The run of one policy in one situation. `tell` is called now and then.
fn simulate<P: Start>(
    asked: &AskedDispatch,
    at: usize,
    policy: P,
    tell: impl Fn(),
) -> Result<FarmOutcome<()>, Failure> {
    let situation = &situations(asked)[at];
    let servers = &situation.farm.servers;
    let refused = |error: SweepError| AskedDispatch::refused(error);
    let arrivals = situation.demand.arrivals(servers);
    let arrivals = arrivals.map_err(|error| refused(error.into()))?;
    let runs = [Run::with(policy, situation.batches, arrivals)];
    let (length, seed) = (asked.plan.sweep().length(), asked.plan.seed);
    let outcomes = simulate_and_tell(servers, &runs, length, seed, 0, |_| tell());
    let mut outcomes = outcomes.map_err(|error| refused(error.into()))?;
    Ok(outcomes.remove(0).called(()))
}

/// The situations of the plan, in order, without runs.
fn situations(asked: &AskedDispatch) -> Vec<Situation<'_, String>> {
    let mut situations = Vec::new();
    for farm in &asked.plan.farms {
        for demand in &asked.plan.demands {
            for &batches in &asked.plan.batches {
                situations.push(Situation {
                    farm,
                    demand,
                    batches,
                    runs: Vec::new(),
                });
            }
        }
    }
    situations
}

fn arrays<'py>(py: Python<'py>, run: &FarmRun<String>) -> RunArrays<'py> {
    let outcome = &run.outcome;
    let completions = outcome.completions.iter();
    let (slots, jobs): (Vec<u64>, Vec<u64>) = completions
        .flat_map(|times| times.counts.iter().copied())
        .unzip();
    (
        outcome.trajectory.every(),
        outcome.trajectory.means().into_pyarray(py),
        slots.into_pyarray(py),
        jobs.into_pyarray(py),
    )
}
