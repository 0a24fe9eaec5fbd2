//! A dispatch policy that is written in Python.
//!
//! Its runs are made on the thread of the caller, attached to the interpreter. So what it raises
//! has its own traceback, and a signal interrupts it wherever it is: in a loop, or asleep.

use std::sync::Arc;

use filch_policy::dispatch::{Assignment, Dispatch, ServerBits, View};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use rand::Rng;

use crate::ending::Ending;
use crate::view::PolicyView;

/// A policy that a function of the number of servers makes. Each run makes its own.
pub(crate) struct ObjectPolicy {
    make: Arc<Py<PyAny>>,
    live: Option<Live>,
}

/// A policy at work.
struct Live {
    policy: Py<PyAny>,
    whole: Py<PyAny>,
    split: Option<Py<PyAny>>,
    idle: Option<Py<PyAny>>,
    view: Py<PolicyView>,
}

impl ObjectPolicy {
    pub(crate) fn new(make: Py<PyAny>) -> Self {
        let make = Arc::new(make);
        Self { make, live: None }
    }

    /// The policy, made at its first decision.
    fn live<R: Rng + ?Sized>(
        &mut self,
        py: Python<'_>,
        view: &View<'_>,
        rng: &mut R,
    ) -> PyResult<&Live> {
        if self.live.is_none() {
            let policy = self.make.bind(py).call1((view.servers(),))?;
            let method = |name: &str| -> PyResult<Option<Py<PyAny>>> {
                let found = policy.getattr_opt(name)?;
                Ok(found.filter(|found| !found.is_none()).map(Bound::unbind))
            };
            let whole = method("whole")?.ok_or_else(|| {
                PyTypeError::new_err(format!(
                    "{} is no policy: it has no method whole(jobs, view)",
                    shown(&policy)
                ))
            })?;
            self.live = Some(Live {
                whole,
                split: method("split")?,
                idle: method("idle")?,
                view: Py::new(py, PolicyView::new(py, view, rng.next_u64())?)?,
                policy: policy.unbind(),
            });
        }
        Ok(self.live.as_ref().expect("it is made"))
    }
}

impl Live {
    fn whole(&self, py: Python<'_>, jobs: u32, view: &View<'_>) -> PyResult<usize> {
        self.view.get().show(py, view.queues())?;
        let answer = self.whole.bind(py).call1((jobs, &self.view))?;
        server("whole", &answer, view.servers())
    }

    fn split(
        &self,
        py: Python<'_>,
        jobs: u32,
        view: &View<'_>,
        out: &mut Assignment,
    ) -> PyResult<()> {
        let Some(split) = &self.split else {
            out.give(self.whole(py, jobs, view)?, jobs);
            return Ok(());
        };
        self.view.get().show(py, view.queues())?;
        let answer = split.bind(py).call1((jobs, &self.view))?;
        let mut given = 0;
        for pair in answer.try_iter().map_err(|_| no_pairs(&answer))? {
            let pair = pair?;
            let (to, share): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                pair.extract().map_err(|_| no_pairs(&answer))?;
            let to = server("split", &to, view.servers())?;
            let share: u32 = share.extract().map_err(|_| no_pairs(&answer))?;
            given += u64::from(share);
            if given > u64::from(jobs) {
                break;
            }
            out.give(to, share);
        }
        if given == u64::from(jobs) {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "split() gave away {} of {jobs} jobs: give each job to one server",
            if given > u64::from(jobs) {
                "more than all".to_owned()
            } else {
                given.to_string()
            },
        )))
    }
}

/// A decision as a server that exists.
fn server(method: &str, answer: &Bound<'_, PyAny>, servers: usize) -> PyResult<usize> {
    let allowed = format!("return the number of a server, 0 to {}", servers - 1);
    let number: i128 = answer.extract().map_err(|_| {
        PyTypeError::new_err(format!("{method}() returned {}: {allowed}", shown(answer)))
    })?;
    let known = usize::try_from(number).ok().filter(|&to| to < servers);
    known.ok_or_else(|| {
        PyValueError::new_err(format!(
            "{method}() returned {number}, and there is no such server: {allowed}"
        ))
    })
}

fn no_pairs(answer: &Bound<'_, PyAny>) -> PyErr {
    let shown = shown(answer);
    PyTypeError::new_err(format!(
        "split() returned {shown}: return pairs (server, jobs)"
    ))
}

/// What an object looks like in a sentence.
fn shown(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().map(|text| text.to_string());
    let text = text.unwrap_or_else(|_| "an object without a repr".to_owned());
    let mut short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// The answer; the run ends if Python has raised.
fn settled<T>(answer: PyResult<T>) -> T {
    answer.unwrap_or_else(|error| Ending::Raised(error).end())
}

/// A run begins with a policy of its own, which is made when it is first asked.
impl Clone for ObjectPolicy {
    fn clone(&self) -> Self {
        let make = Arc::clone(&self.make);
        Self { make, live: None }
    }
}

impl Dispatch for ObjectPolicy {
    fn whole<R: Rng + ?Sized>(&mut self, jobs: u32, view: &View<'_>, rng: &mut R) -> usize {
        Python::attach(|py| {
            let live = self.live(py, view, rng);
            settled(live.and_then(|live| live.whole(py, jobs, view)))
        })
    }

    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        rng: &mut R,
        out: &mut Assignment,
    ) {
        out.clear();
        Python::attach(|py| {
            let live = self.live(py, view, rng);
            settled(live.and_then(|live| live.split(py, jobs, view, out)));
        });
    }

    fn messages(&self) -> u64 {
        let Some(live) = &self.live else { return 0 };
        Python::attach(|py| {
            let policy = live.policy.bind(py);
            let counted = policy.getattr_opt(PyString::intern(py, "messages"));
            settled(counted.and_then(|found| {
                found.map_or(Ok(0), |number| {
                    number.extract().map_err(|_| {
                        let shown = shown(&number);
                        PyTypeError::new_err(format!(
                            "the attribute messages is {shown}: count messages, from 0 on"
                        ))
                    })
                })
            }))
        })
    }

    fn fell_idle(&mut self, server: usize, view: &View<'_>) {
        let Some(live) = &self.live else { return };
        let Some(idle) = &live.idle else { return };
        Python::attach(|py| {
            let told = live.view.get().show(py, view.queues());
            settled(told.and_then(|()| idle.call1(py, (server, &live.view))));
        });
    }

    fn fell_idle_together(&mut self, servers: &ServerBits, view: &View<'_>) {
        let Some(live) = &self.live else { return };
        let Some(idle) = &live.idle else { return };
        Python::attach(|py| {
            settled(live.view.get().show(py, view.queues()));
            for server in servers.iter() {
                settled(idle.call1(py, (server, &live.view)));
            }
        });
    }
}
