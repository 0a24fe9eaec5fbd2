//! One load, or loads from here to there.

use filch_workload::Load;

/// More points than this are a slip of the finger.
const MOST: usize = 10_000;

/// The load `text`; the error begins with it.
pub(super) fn one(text: &str, overload: bool) -> Result<Load, String> {
    if !overload {
        return text.parse().map_err(|error| {
            format!("{error}; to load the servers beyond that, add --allow-overload")
        });
    }
    let number = text.parse().unwrap_or(f64::NAN);
    Load::with_overload(number).map_err(|error| match number.is_nan() {
        true => format!(
            "'{}' is no number: use one such as 1.2",
            text.escape_debug()
        ),
        false => error.to_string(),
    })
}

/// `FROM:TO:STEP`, both ends included if the steps meet the last.
pub(super) fn range(text: &str, overload: bool) -> Result<Vec<Load>, String> {
    let form = || {
        format!(
            "'{}' is not of the form FROM:TO:STEP: write 0.05:0.95:0.05",
            text.escape_debug()
        )
    };
    let parts: Vec<&str> = text.split(':').collect();
    let [from, to, step] = parts[..] else {
        return Err(form());
    };
    let (first, last) = (one(from, overload)?.get(), one(to, overload)?.get());
    let step: f64 = step.parse().map_err(|_| form())?;
    if !(step > 0.0 && step.is_finite()) || last < first {
        return Err(format!(
            "'{}' goes nowhere: FROM is at most TO, and STEP above 0",
            text.escape_debug()
        ));
    }
    // A hair more, so that a last step that is rounded down is still made.
    let steps = (last - first) / step + 1e-9;
    if steps >= MOST as f64 {
        return Err(format!(
            "'{}' has more than {MOST} loads: use a larger step",
            text.escape_debug()
        ));
    }
    let load = |at: usize| {
        let exact = first + at as f64 * step;
        // What was meant is a short decimal number.
        let load = (exact * 1e9).round() / 1e9;
        if overload {
            Load::with_overload(load)
        } else {
            Load::new(load)
        }
        .map_err(|error| error.to_string())
    };
    (0..=steps as usize).map(load).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str, overload: bool) -> Vec<f64> {
        let loads = range(text, overload).unwrap();
        loads.into_iter().map(Load::get).collect()
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(numbers("0.05:0.2:0.05", false), [0.05, 0.1, 0.15, 0.2]);
        assert_eq!(numbers("0.05:0.99:0.05", false).len(), 19);
        assert_eq!(numbers("0.5:0.5:0.1", false), [0.5]);
        assert_eq!(numbers("0.9:1.1:0.1", true), [0.9, 1.0, 1.1]);
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
            ("0:0.2:0.1", "0: a load is between 0 and 1, both excluded"),
            ("0.1:1:0.1", "1: a load is between 0 and 1, both excluded"),
        ] {
            let error = range(text, false).unwrap_err();
            assert!(error.starts_with(message), "{text}: {error}");
        }
        let error = one("1.2", false).unwrap_err();
        assert!(error.ends_with("add --allow-overload"), "{error}");
        assert_eq!(one("1.2", true).unwrap().get(), 1.2);
        for (text, message) in [("-1", "-1: a load is above 0"), ("x", "'x' is no number")] {
            let error = one(text, true).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
