//! Equal servers in continuous time, as `filch fleet` runs them.

use filch_policy::dispatch::Spec;
use filch_random::Seed;

use super::names::POLICY;
use super::{parameter, whole};
use crate::fleet::FleetStudy;
use crate::sweep::column::Column;
use crate::sweep::model::{Examined, Measured, Model};
use crate::sweep::parameter::{DefaultValue, ParameterKind};
use crate::sweep::settings::{Misfit, Settings};

pub(crate) static FLEET: Model = Model {
    name: "fleet",
    parameters: &[
        parameter(
            "servers",
            whole(1, 10_000_000),
            DefaultValue::Required,
            "the number of servers",
        ),
        parameter(
            "lambda",
            ParameterKind::Positive,
            DefaultValue::Required,
            "requests that arrive for each server in a mean service time, up to 10",
        ),
        parameter(
            "policy",
            POLICY,
            DefaultValue::Required,
            "the dispatch policy",
        ),
        parameter(
            "dispatchers",
            whole(1, 1000),
            DefaultValue::Whole(1),
            "dispatchers, each of which sees its own requests alone",
        ),
        parameter(
            "time",
            ParameterKind::Positive,
            DefaultValue::Real(200.0),
            "how long requests arrive, in mean service times",
        ),
        parameter(
            "warmup",
            ParameterKind::Positive,
            DefaultValue::Other("half of time"),
            "requests of the first mean service times that do not count",
        ),
    ],
    results: &[
        Column::real(
            "mean_time_in_system",
            "the mean time of a request, in mean service times",
        ),
        Column::real(
            "share_that_waited",
            "the share of requests that found their server busy",
        ),
        Column::flag(
            "stopped",
            "whether the run was stopped because the queues grew without bound",
        ),
    ],
    target: Some("mean_time_in_system"),
    fill: |settings| settings.fill("warmup", settings.real("time") / 2.0),
    examine,
    run: |settings, seed, replication| {
        let (study, policy) = read(settings, seed);
        let run = study.replication(&policy, replication);
        let run = run.map_err(|error| error.to_string())?;
        Ok(vec![run.time.into(), run.waited.into(), run.ended.into()])
    },
};

fn examine(settings: &Settings<'_>, _: &mut Measured) -> Result<Examined, Misfit> {
    let (study, policy) = read(settings, Seed::default());
    if study.lambda > FleetStudy::MOST_LAMBDA {
        return Err(Misfit::new(
            "lambda",
            format!(
                "{} is more than ten times what a server can serve: use up to 10",
                study.lambda
            ),
        ));
    }
    if study.until <= study.warm_up {
        return Err(Misfit::new(
            "time",
            format!(
                "a time of {} leaves nothing after a warmup of {}: use more time, such as {}",
                study.until,
                study.warm_up,
                2.0 * study.warm_up
            ),
        ));
    }
    let fits = study.accepts(&policy);
    fits.map_err(|error| Misfit::new("policy", format!("{policy}: {error}")))?;
    let servers = study.servers as f64;
    Ok(Examined {
        weight: servers * study.lambda * study.until + servers,
        bytes: study.bytes_of_a_run(),
        random: true,
    })
}

fn read(settings: &Settings<'_>, seed: Seed) -> (FleetStudy, Spec) {
    let study = FleetStudy {
        servers: settings.whole("servers") as usize,
        lambda: settings.real("lambda"),
        dispatchers: settings.whole("dispatchers") as usize,
        until: settings.real("time"),
        warm_up: settings.real("warmup"),
        replications: 1,
        seed,
    };
    (study, settings.named("policy").expect("it was read"))
}
