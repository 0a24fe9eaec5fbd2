//! One load, or loads from here to there.
//!
//! Loads of 1 and more are read too. Whether they are meant is known only with the other arguments
//! (see [`DispatchArgs`](super::super::DispatchArgs)).

use std::str::FromStr;

use filch_workload::Load;

use super::number::real;

/// More loads than this in one run are a slip of the finger.
pub(crate) const MOST: usize = 10_000;

/// Reads one load.
pub(crate) fn load(text: &str) -> Result<Load, String> {
    let Some(number) = real(text.strip_prefix('-').unwrap_or(text)) else {
        return Err(format!(
            "'{}' is no number: use one such as 0.9",
            text.escape_debug()
        ));
    };
    let number = if text.starts_with('-') {
        -number
    } else {
        number
    };
    Load::with_overload(number).map_err(|_| {
        format!("{number}: a load is above 0: 0.9 means nine tenths of the total capacity")
    })
}

/// Loads from one to another in equal steps: `FROM:TO:STEP`, both ends included if the steps meet
/// the last.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loads(pub(crate) Vec<Load>);

impl FromStr for Loads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let quoted = text.escape_debug();
        let form = || format!("'{quoted}' is not of the form FROM:TO:STEP: write 0.05:0.95:0.05");
        let parts: Vec<&str> = text.split(':').collect();
        let [from, to, step] = parts[..] else {
            return Err(form());
        };
        let (first, last) = (load(from)?.get(), load(to)?.get());
        let step = real(step).ok_or_else(form)?;
        if step == 0.0 || last < first {
            return Err(format!(
                "'{quoted}' goes nowhere: FROM is at most TO, and STEP above 0"
            ));
        }
        // A hair more, so that a last step that is rounded down is still made.
        let steps = (last - first) / step + 1e-9;
        if steps >= MOST as f64 {
            return Err(format!(
                "'{quoted}' has more than {MOST} loads: use a larger step"
            ));
        }
        let load = |at: usize| {
            let exact = first + at as f64 * step;
            // What was meant is a short decimal number.
            let load = (exact * 1e9).round() / 1e9;
            Load::with_overload(load).map_err(|error| error.to_string())
        };
        (0..=steps as usize)
            .map(load)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let numbers = |text: &str| -> Vec<f64> {
            let Loads(loads) = text.parse().unwrap();
            loads.into_iter().map(Load::get).collect()
        };
        assert_eq!(numbers("0.05:0.2:0.05"), [0.05, 0.1, 0.15, 0.2]);
        assert_eq!(numbers("0.05:0.99:0.05").len(), 19);
        assert_eq!(numbers("0.5:0.5:0.1"), [0.5]);
        assert_eq!(numbers("0.9:1.1:0.1"), [0.9, 1.0, 1.1]);
    }

    #[test]
    fn bad_loads_are_explained() {
        for (text, message) in [
            ("0.1", "'0.1' is not of the form FROM:TO:STEP"),
            ("0.1:0.2", "'0.1:0.2' is not of the form FROM:TO:STEP"),
            ("0.1:0.2:x", "'0.1:0.2:x' is not of the form FROM:TO:STEP"),
            ("0.2:0.1:0.1", "'0.2:0.1:0.1' goes nowhere"),
            ("0.1:0.2:0", "'0.1:0.2:0' goes nowhere"),
            ("0.1:0.2:1e-9", "'0.1:0.2:1e-9' has more than 10000 loads"),
            ("0:0.2:0.1", "0: a load is above 0"),
        ] {
            let error = text.parse::<Loads>().unwrap_err();
            assert!(error.starts_with(message), "{text}: {error}");
        }
        assert_eq!(load("1.2").unwrap().get(), 1.2);
        for (text, message) in [
            ("-1", "-1: a load is above 0"),
            ("0", "0: a load is above 0"),
            ("x", "'x' is no number: use one such as 0.9"),
            ("nan", "'nan' is no number"),
            ("inf", "'inf' is no number"),
        ] {
            let error = load(text).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
