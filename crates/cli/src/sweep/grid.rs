//! Values of a sweep file, each with its place in the text.

use std::ops::Range;

use filch_experiments::sweep::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value, and where it stands.
pub(super) type Placed = (Value, Range<usize>);

/// Why a value is none, and where it stands.
pub(super) type Misplaced = (String, Range<usize>);

/// More values than this in one range are a slip of the finger.
const MOST: f64 = 1e6;

/// One value, a list of them, or a range of numbers `{ from = 0.1, to = 0.9, step = 0.1 }`.
pub(super) fn values(raw: &Spanned<DeValue<'_>>) -> Result<Vec<Placed>, Misplaced> {
    match raw.get_ref() {
        DeValue::Array(list) => list.iter().map(value).collect(),
        DeValue::Table(range) => self::range(range, raw.span()),
        _ => Ok(vec![value(raw)?]),
    }
}

/// A single value.
pub(super) fn value(raw: &Spanned<DeValue<'_>>) -> Result<Placed, Misplaced> {
    let at = raw.span();
    let value = match raw.get_ref() {
        DeValue::String(text) => Value::text(text.as_ref()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Integer(number) => {
            let read = i128::from_str_radix(number.as_str(), number.radix());
            let problem = |_| (format!("{} is too large", number.as_str()), at.clone());
            Value::Whole(read.map_err(problem)?)
        }
        DeValue::Float(number) => {
            let read: Result<f64, _> = number.as_str().parse();
            let finite = read.ok().filter(|number| number.is_finite());
            let problem = || {
                (
                    format!("{} is not a finite number", number.as_str()),
                    at.clone(),
                )
            };
            Value::Real(finite.ok_or_else(problem)?)
        }
        other => {
            let problem = format!(
                "{} is no value here: write a number, a name in quotes, true or false, or a list \
                 of them",
                other.type_str()
            );
            return Err((problem, at));
        }
    };
    Ok((value, at))
}

/// Numbers from one to another in equal steps, both ends included if the steps meet the last. They
/// are whole if all three are.
fn range(raw: &DeTable<'_>, at: Range<usize>) -> Result<Vec<Placed>, Misplaced> {
    let form = || {
        (
            "write a range as { from = 0.1, to = 0.9, step = 0.1 }".to_owned(),
            at.clone(),
        )
    };
    let end = |name: &str| -> Result<Value, Misplaced> {
        let found = raw.iter().find(|(key, _)| key.get_ref() == name);
        Ok(value(found.ok_or_else(form)?.1)?.0)
    };
    if raw.len() != 3 {
        return Err(form());
    }
    let numbers = numbers(&end("from")?, &end("to")?, &end("step")?);
    let numbers = numbers
        .map_err(|problem| (problem, at.clone()))?
        .into_iter();
    Ok(numbers.map(|number| (number, at.clone())).collect())
}

/// The numbers of a range.
pub(super) fn numbers(from: &Value, to: &Value, step: &Value) -> Result<Vec<Value>, String> {
    let nowhere = || "it goes nowhere: from is at most to, and step above 0".to_owned();
    let many = || format!("it has more than {MOST:e} values: use a larger step");
    if let (Value::Whole(from), Value::Whole(to), Value::Whole(step)) = (from, to, step) {
        let (from, to, step) = (*from, *to, *step);
        if step <= 0 || to < from {
            return Err(nowhere());
        }
        let count = (to - from) / step;
        if count >= MOST as i128 {
            return Err(many());
        }
        let number = |index: i128| Value::Whole(from + index * step);
        return Ok((0..=count).map(number).collect());
    }
    let real = |name: &str, value: &Value| match value {
        Value::Whole(number) => Ok(*number as f64),
        Value::Real(number) if number.is_finite() => Ok(*number),
        _ => Err(format!("{name} is not a number")),
    };
    let (from, to, step) = (real("from", from)?, real("to", to)?, real("step", step)?);
    if step <= 0.0 || to < from {
        return Err(nowhere());
    }
    // A hair more, so that a last step that is rounded down is still made.
    let steps = (to - from) / step + 1e-9;
    if steps >= MOST {
        return Err(many());
    }
    // What was meant is a short decimal number.
    let number = |index: u64| Value::Real(((from + index as f64 * step) * 1e9).round() / 1e9);
    Ok((0..=steps as u64).map(number).collect())
}
