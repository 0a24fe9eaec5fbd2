//! `filch fleet`, with policies of a user's own among those that have names.

use std::sync::Arc;

use filch_cli::Failure;
use filch_cli::asked::{AskedFleet, FleetPolicy};
use filch_experiments::fleet::{FleetEstimates, FleetRun};
use filch_policy::dispatch::StartError;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

use crate::attend::{attend, refused};
use crate::ending::until_ended;
use crate::farm::Own;
use crate::object::ObjectPolicy;
use crate::pointer::Pointer;

/// The answer, the mean time of each run of each policy, and why a policy did not come to its end.
type FleetAnswer<'py> = (
    String,
    Vec<Bound<'py, PyArray1<f64>>>,
    Option<Py<PyBaseException>>,
);

/// Simulates every policy. Without `named`, only the user's own policies.
///
/// If one of the user's own raises, the answer holds what was done before it, and the exception.
#[pyfunction]
pub(crate) fn fleet(
    py: Python<'_>,
    words: Vec<String>,
    named: bool,
    own: Vec<Own>,
) -> PyResult<FleetAnswer<'_>> {
    let mut asked = AskedFleet::read(&words).map_err(refused)?;
    if !named {
        asked.policies.clear();
    }
    let asked = Arc::new(asked);
    let mut policies = with_names(py, &asked)?;
    let mut raised = None;
    for (place, name, make) in own {
        match of_one(py, &asked, &make) {
            Ok(found) => {
                let spec = None;
                policies.insert(place.min(policies.len()), FleetPolicy { name, spec, found });
            }
            Err(error) => {
                raised = Some(error.into_value(py));
                break;
            }
        }
    }
    let times = |policy: &FleetPolicy| {
        let times = policy.found.times.iter();
        let times: Vec<f64> = times.map(|time| time.unwrap_or(f64::NAN)).collect();
        times.into_pyarray(py)
    };
    let times = policies.iter().map(times).collect();
    Ok((asked.json(&policies), times, raised))
}

/// What the policies that have names come to.
fn with_names(py: Python<'_>, asked: &Arc<AskedFleet>) -> PyResult<Vec<FleetPolicy>> {
    let asked = Arc::clone(asked);
    attend(py, Some(asked.threads), move |attention| {
        let policies = asked.policies.iter();
        policies
            .map(|policy| asked.run(policy, attention))
            .collect()
    })
}

/// What one policy of the user's own comes to.
fn of_one(py: Python<'_>, asked: &Arc<AskedFleet>, make: &Py<PyAny>) -> PyResult<FleetEstimates> {
    let failed = |error: StartError| Failure::Run(error.to_string());
    if let Ok(pointer) = make.bind(py).cast::<Pointer>() {
        let (asked, policy) = (Arc::clone(asked), pointer.get().policy());
        return attend(py, Some(asked.threads), move |attention| {
            asked.study.run(&policy, attention).map_err(failed)
        });
    }
    let policy = ObjectPolicy::new(make.clone_ref(py));
    let one = |number| -> PyResult<FleetRun> {
        py.check_signals()?;
        let run = until_ended(|| asked.study.replication(&policy, number))?;
        run.map_err(|error| refused(failed(error)))
    };
    let runs: PyResult<Vec<_>> = (0..asked.study.replications as u64).map(one).collect();
    Ok(FleetEstimates::of(&runs?))
}
