//! `filch limit`: what a process comes to with very many processors.

mod answer;

use filch_theory::limit::{
    NaturalLimit, NoLimit, StealingLimit, Supermarket, SupermarketWithMemory, solve,
};

use crate::args::{LimitModel, LimitNaturalArgs, LimitStealingArgs, LimitSupermarketArgs};
use crate::failure::Failure;
use crate::output;
use answer::Answer;

pub(crate) fn run(model: &LimitModel) -> Result<(), Failure> {
    let answer = answer(model)?;
    let options = match model {
        LimitModel::Natural(options) => &options.limit,
        LimitModel::Stealing(options) => &options.limit,
        LimitModel::Supermarket(options) => &options.limit,
    };
    if options.json {
        output::print_json(&answer)
    } else {
        output::print(&answer.text())
    }
}

/// The limit of the model.
pub(crate) fn answer(model: &LimitModel) -> Result<Answer, Failure> {
    match model {
        LimitModel::Natural(options) => natural(options),
        LimitModel::Stealing(options) => stealing(options),
        LimitModel::Supermarket(options) => supermarket(options),
    }
}

fn refused(error: NoLimit) -> Failure {
    Failure::usage(format!("--lambda: {error}"))
}

fn natural(options: &LimitNaturalArgs) -> Result<Answer, Failure> {
    let lambda = options.limit.lambda.get();
    let model = NaturalLimit::new(lambda, options.steal);
    let limit = solve(&model).map_err(refused)?;
    let what = format!("natural, steal {}, generators uniform", options.steal);
    let flows = model.flows(&limit.shares);
    Ok(Answer::new(what, lambda, "step", &limit).with_flows(flows))
}

fn stealing(options: &LimitStealingArgs) -> Result<Answer, Failure> {
    let model = StealingLimit {
        lambda: options.limit.lambda.get(),
        steal: options.steal,
        threshold: options.threshold.get(),
        attempts: options.attempts.get() as u32,
        retries: options.retries.map_or(0.0, |retries| retries.get()),
    };
    let what = format!(
        "stealing, steal {}, threshold {}, attempts {}, retries {}",
        options.steal, model.threshold, model.attempts, model.retries
    );
    let limit = solve(&model).map_err(refused)?;
    Ok(Answer::new(what, model.lambda, "mean service time", &limit))
}

fn supermarket(options: &LimitSupermarketArgs) -> Result<Answer, Failure> {
    let (lambda, choices) = (options.limit.lambda.get(), options.choices.get() as u32);
    let (limit, memory) = if options.memory {
        let model = SupermarketWithMemory { lambda, choices };
        (model.limit(), " and memory")
    } else {
        (Supermarket { lambda, choices }.limit(), "")
    };
    let what = format!("supermarket, choices {choices}{memory}");
    let limit = limit.map_err(refused)?;
    Ok(Answer::new(what, lambda, "mean service time", &limit))
}
