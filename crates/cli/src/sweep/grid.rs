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
        let (value, at) = value(found.ok_or_else(form)?.1)?;
        match value {
            Value::Whole(_) | Value::Real(_) => Ok(value),
            _ => Err((format!("{name} is not a number"), at)),
        }
    };
    if raw.len() != 3 {
        return Err(form());
    }
    let (from, to, step) = (end("from")?, end("to")?, end("step")?);
    let nowhere = || {
        let problem = "it goes nowhere: from is at most to, and step above 0";
        (problem.to_owned(), at.clone())
    };
    let many = || {
        (
            format!("it has more than {MOST:e} values: use a larger step"),
            at.clone(),
        )
    };
    if let (Value::Whole(from), Value::Whole(to), Value::Whole(step)) = (&from, &to, &step) {
        let (from, to, step) = (*from, *to, *step);
        if step <= 0 || to < from {
            return Err(nowhere());
        }
        if (to - from) / step >= MOST as i128 {
            return Err(many());
        }
        let count = (to - from) / step;
        let number = |index: i128| (Value::Whole(from + index * step), at.clone());
        return Ok((0..=count).map(number).collect());
    }
    let real = |value: &Value| match value {
        Value::Whole(number) => *number as f64,
        Value::Real(number) => *number,
        _ => f64::NAN,
    };
    let (from, to, step) = (real(&from), real(&to), real(&step));
    if step <= 0.0 || to < from {
        return Err(nowhere());
    }
    // A hair more, so that a last step that is rounded down is still made.
    let steps = (to - from) / step + 1e-9;
    if steps >= MOST {
        return Err(many());
    }
    let number = |index: u64| {
        // What was meant is a short decimal number.
        let exact = from + index as f64 * step;
        (Value::Real((exact * 1e9).round() / 1e9), at.clone())
    };
    Ok((0..=steps as u64).map(number).collect())
}
