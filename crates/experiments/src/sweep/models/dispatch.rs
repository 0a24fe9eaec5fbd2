//! PI's server farm, as `filch dispatch` runs it.

use filch_policy::dispatch::{Spec, View};
use filch_sim::farm::{Batches, Length, Run, Servers, simulate};
use filch_workload::{Arrivals, Load};

use super::names::{ARRIVALS, BATCHES, POLICY, SERVERS};
use super::{VERDICTS, parameter, whole};
use crate::dispatch::{Classes, Demand, Estimates};
use crate::sweep::column::Column;
use crate::sweep::model::{Examined, Measured, Model};
use crate::sweep::parameter::{DefaultValue, ParameterKind};
use crate::sweep::settings::{Misfit, Settings};

pub(crate) static DISPATCH: Model = Model {
    name: "dispatch",
    parameters: &[
        parameter(
            "servers",
            SERVERS,
            DefaultValue::Text("slow=50@uniform:1,fast=50@uniform:10"),
            "classes of servers, NAME=COUNT@CAPACITY,…",
        ),
        parameter(
            "load",
            ParameterKind::Real(load),
            DefaultValue::Other("0.9, or none if there are arrivals"),
            "what arrives in a slot as a part of what all servers can do, in Poisson batches",
        ),
        parameter(
            "arrivals",
            ARRIVALS,
            DefaultValue::Other("Poisson batches of the load"),
            "what arrives in a slot",
        ),
        parameter("policy", POLICY, DefaultValue::Required, "the policy"),
        parameter(
            "batches",
            BATCHES,
            DefaultValue::Text("whole"),
            "whether a batch goes to one server or may be spread over several",
        ),
        parameter(
            "slots",
            whole(1, Length::MOST_SLOTS as u64),
            DefaultValue::Whole(100_000),
            "slots of each run, its warm-up included",
        ),
        parameter(
            "warmup",
            whole(0, Length::MOST_SLOTS as u64),
            DefaultValue::Other("for the mean queue as MSER-5 finds, otherwise 0"),
            "slots at the start that do not count",
        ),
        parameter(
            "allow_overload",
            ParameterKind::Flag,
            DefaultValue::No,
            "whether a load may be 1 or more",
        ),
    ],
    results: &[
        Column::real(
            "mean_total_queue",
            "the time-averaged total queue length after the warm-up",
        ),
        Column::real("ci95_low", "the low end of its 95 % interval (batch means)"),
        Column::real("ci95_high", "the high end of that interval"),
        Column::flag(
            "independent",
            "whether the batch means pass a test of independence; if not, the interval is too narrow",
        ),
        Column::whole("left_out", "slots at the start that the mean leaves out"),
        Column::real(
            "messages_per_slot",
            "messages between servers and dispatcher",
        ),
        Column::real("jct_mean", "the mean job completion time in slots"),
        Column::whole("jct_p50", "the median job completion time"),
        Column::whole(
            "jct_p90",
            "90 % of the jobs were completed within so many slots",
        ),
        Column::whole(
            "jct_p99",
            "99 % of the jobs were completed within so many slots",
        ),
        Column::whole(
            "jct_p999",
            "99.9 % of the jobs were completed within so many slots",
        ),
        Column::whole("jct_jobs", "jobs that were timed"),
        Column::whole(
            "jct_unfinished",
            "jobs that were not completed when the run ended",
        ),
        Column::word("verdict", VERDICTS, "whether the run shows stable queues"),
        Column::whole(
            "ended",
            "the slot at which the run ended because too many jobs were waiting, if it did",
        ),
    ],
    target: Some("mean_total_queue"),
    fill: |settings| {
        if !settings.is_given("arrivals") {
            settings.fill("load", 0.9);
        }
    },
    examine,
    run: |settings, seed, replication| {
        let farm = read(settings)?;
        let length = Length {
            warm_up: farm.warm_up.unwrap_or(0),
            ..Length::of(farm.slots)
        };
        let outcomes = simulate(&farm.servers, &[farm.run], length, seed, replication);
        let outcomes = outcomes.map_err(|error| error.to_string())?;
        let outcome = &outcomes[0];
        let found = Estimates::of(outcome, farm.warm_up);
        let [low, high] = found.interval.map_or([None; 2], |ends| ends.map(Some));
        let timed = found.completion.as_ref().filter(|times| times.count() > 0);
        let time = |share| timed.and_then(|times| times.quantile(share)).into();
        let unfinished = outcome.completions.as_ref().map(|times| times.unfinished);
        Ok(vec![
            found.mean_queue.into(),
            low.into(),
            high.into(),
            found.independent.into(),
            found.warm_up.into(),
            found.messages_per_slot.into(),
            timed.and_then(|times| times.mean()).into(),
            time(0.5),
            time(0.9),
            time(0.99),
            time(0.999),
            timed.map(|times| times.count()).into(),
            unfinished.into(),
            found.verdict.name().into(),
            outcome.ended.map(u64::from).into(),
        ])
    },
};

fn load(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().unwrap_or(f64::NAN);
    Load::with_overload(number).map(Load::get).map_err(|_| {
        format!("{text}: a load is above 0: 0.9 means nine tenths of the total capacity")
    })
}

/// Bytes of a run for each server, and for what is kept of it until its row is made.
const BYTES_PER_SERVER: u64 = 136;
const BYTES_PER_RUN: u64 = 302_000;
/// A slot costs as much as this many servers, besides the servers themselves.
const SLOT: f64 = 20.0;

struct FarmCase {
    servers: Servers,
    run: Run,
    slots: u32,
    warm_up: Option<u32>,
}

fn examine(settings: &Settings<'_>, _: &mut Measured) -> Result<Examined, Misfit> {
    if settings.is_given("load") && settings.is_given("arrivals") {
        let problem = "there is a load already: give arrivals or load, and leave the other out";
        return Err(Misfit::new("arrivals", problem));
    }
    if settings.is_given("load") && settings.real("load") >= 1.0 && !settings.flag("allow_overload")
    {
        let load = settings.real("load");
        return Err(Misfit::new(
            "load",
            format!(
                "{load}: a load is below 1, or queues grow for ever: if that is meant, say \
                 allow_overload = true"
            ),
        ));
    }
    let slots = settings.whole("slots");
    if settings.is_given("warmup") && settings.whole("warmup") >= slots {
        let warm_up = settings.whole("warmup");
        return Err(Misfit::new(
            "slots",
            format!(
                "{slots} slots leave nothing to count after a warmup of {warm_up}: use more slots, \
                 such as {}",
                2 * warm_up.max(1)
            ),
        ));
    }
    let farm = read(settings).map_err(|problem| Misfit::new("servers", problem))?;
    let servers = farm.servers.count();
    let queues = vec![0; servers];
    let view = View::of_queues(&queues).with_speeds(farm.servers.speeds());
    let fits = farm.run.policy.start(&view);
    fits.map_err(|error| Misfit::new("policy", error))?;
    Ok(Examined {
        weight: slots as f64 * (servers as f64 + SLOT),
        bytes: servers as u64 * BYTES_PER_SERVER + BYTES_PER_RUN,
        random: true,
    })
}

fn read(settings: &Settings<'_>) -> Result<FarmCase, String> {
    let Classes { classes, .. } = settings.named("servers").expect("it was read");
    let servers = Servers::of(classes).map_err(|error| error.to_string())?;
    let given: Option<Arrivals> = settings.named("arrivals");
    let demand = given.map_or_else(
        || Demand::Load(Load::with_overload(settings.real("load")).expect("it was read")),
        Demand::Arrivals,
    );
    let arrivals = demand
        .arrivals(&servers)
        .map_err(|error| error.to_string())?;
    let policy: Spec = settings.named("policy").expect("it was read");
    let batches: String = settings.named("batches").expect("it was read");
    let batches = if batches == "split" {
        Batches::Split
    } else {
        Batches::Whole
    };
    Ok(FarmCase {
        servers,
        run: Run::of(policy, batches, arrivals),
        slots: settings.whole("slots") as u32,
        warm_up: settings
            .is_given("warmup")
            .then(|| settings.whole("warmup") as u32),
    })
}
