//! The limits of many processors, as `filch limit` computes them.

use filch_theory::limit::{
    Flows, Limit, NaturalLimit, NoLimit, StealingLimit, Supermarket, SupermarketWithMemory, solve,
};

use super::names::STEAL;
use super::{MOST_JOBS, parameter, whole};
use crate::sweep::column::{Column, ResultCell};
use crate::sweep::model::{Examined, Measured, Model};
use crate::sweep::parameter::{DefaultValue, Parameter, ParameterKind};
use crate::sweep::settings::{Misfit, Settings};

const LAMBDA: Parameter = parameter(
    "lambda",
    ParameterKind::Fraction,
    DefaultValue::Required,
    "jobs that arrive for each processor in a unit of time",
);

const MEAN: Column = Column::real(
    "mean_load_per_processor",
    "the mean number of jobs for each processor",
);
const ERROR: Column = Column::real("error", "how far the mean may be off");
const TIME: Column = Column::real(
    "mean_time_in_system",
    "the mean time of a job from its arrival to its end",
);
const STATES: &[&str] = &["found", "overloaded", "not found", "too long"];
const STATE: Column = Column::word(
    "state",
    STATES,
    "whether a stationary state was found, and if not, why",
);

pub(crate) static LIMIT_NATURAL: Model = Model {
    name: "limit natural",
    parameters: &[
        LAMBDA,
        parameter(
            "steal",
            STEAL,
            DefaultValue::Text("half"),
            "how many of its jobs an asked processor gives away",
        ),
    ],
    results: &[
        MEAN,
        ERROR,
        TIME,
        STATE,
        Column::real("requests_per_step", "requests for each processor and step"),
        Column::real("steals_per_step", "requests that moved a job or more"),
        Column::real("jobs_moved_per_step", "jobs that moved"),
    ],
    target: None,
    fill: |_| {},
    examine,
    run: |settings, _, _| {
        let steal: filch_policy::steal::StealFunction =
            settings.named("steal").expect("it was read");
        let model = NaturalLimit::new(settings.real("lambda"), steal);
        let limit = solve(&model);
        let flows = limit.as_ref().ok().map(|limit| model.flows(&limit.shares));
        let flow = |of: fn(&Flows) -> f64| -> ResultCell { flows.as_ref().map(of).into() };
        let mut cells = cells(limit.as_ref());
        cells.extend([
            flow(|flows| flows.requests),
            flow(|flows| flows.steals),
            flow(|flows| flows.moved),
        ]);
        Ok(cells)
    },
};

pub(crate) static LIMIT_STEALING: Model = Model {
    name: "limit stealing",
    parameters: &[
        LAMBDA,
        parameter(
            "steal",
            STEAL,
            DefaultValue::Text("one"),
            "how many of its jobs a victim gives away",
        ),
        parameter(
            "threshold",
            whole(2, MOST_JOBS),
            DefaultValue::Whole(2),
            "victims with fewer jobs give nothing",
        ),
        parameter(
            "attempts",
            whole(1, 100),
            DefaultValue::Whole(1),
            "at how many victims a thief looks, to steal from the most loaded",
        ),
        parameter(
            "retries",
            ParameterKind::Positive,
            DefaultValue::Other("never"),
            "how often an empty processor tries again in a mean service time",
        ),
    ],
    results: &[MEAN, ERROR, TIME, STATE],
    target: None,
    fill: |_| {},
    examine,
    run: |settings, _, _| {
        let steal: filch_policy::steal::StealFunction =
            settings.named("steal").expect("it was read");
        let retries = settings.is_given("retries");
        let limit = solve(&StealingLimit {
            lambda: settings.real("lambda"),
            steal,
            threshold: settings.whole("threshold"),
            attempts: settings.whole("attempts") as u32,
            retries: if retries {
                settings.real("retries")
            } else {
                0.0
            },
        });
        Ok(cells(limit.as_ref()))
    },
};

pub(crate) static LIMIT_SUPERMARKET: Model = Model {
    name: "limit supermarket",
    parameters: &[
        LAMBDA,
        parameter(
            "choices",
            whole(1, 100),
            DefaultValue::Whole(2),
            "at how many random queues a job looks",
        ),
        parameter(
            "memory",
            ParameterKind::Flag,
            DefaultValue::No,
            "whether it also looks at one that is remembered",
        ),
    ],
    results: &[MEAN, ERROR, TIME, STATE],
    target: None,
    fill: |_| {},
    examine,
    run: |settings, _, _| {
        let lambda = settings.real("lambda");
        let choices = settings.whole("choices") as u32;
        let limit = if settings.flag("memory") {
            solve(&SupermarketWithMemory { lambda, choices })
        } else {
            Supermarket { lambda, choices }.limit()
        };
        Ok(cells(limit.as_ref()))
    },
};

/// The solver's memory is a matrix of at most 1024 × 1024 numbers, and a few more of them.
const BYTES: u64 = 32 << 20;

fn examine(_: &Settings<'_>, _: &mut Measured) -> Result<Examined, Misfit> {
    Ok(Examined {
        weight: 1.0,
        bytes: BYTES,
        random: false,
    })
}

/// What all limits have.
fn cells(limit: Result<&Limit, &NoLimit>) -> Vec<ResultCell> {
    let state = match limit {
        Ok(_) => STATES[0],
        Err(NoLimit::Overloaded) => STATES[1],
        Err(NoLimit::NotFound) => STATES[2],
        Err(NoLimit::TooLong) => STATES[3],
    };
    let limit = limit.ok();
    vec![
        limit.map(|limit| limit.mean).into(),
        limit.map(|limit| limit.error).into(),
        limit.map(Limit::time_in_system).into(),
        state.into(),
    ]
}
