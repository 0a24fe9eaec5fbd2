//! Durations as the file writes them: `250ms`, `5s`, `2m`, `1h`.
//!
//! They are parsed by hand, because crates such as `humantime` accept more (`1h 5 min`, years), and
//! then an error could not say in one line what is allowed.

use std::time::Duration;

use toml::Spanned;

use super::source::{ConfigError, Source};

/// The longest time that is allowed: a longer one is probably a mistake.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Reads a duration; `None` if it is not one.
fn parse(text: &str) -> Option<Duration> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit_at);
    let number: u64 = number.parse().ok()?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number
        .checked_mul(milliseconds)
        .map(Duration::from_millis)
        .filter(|time| *time <= LONGEST)
}

/// A time of at least a millisecond; `default` if there is none.
pub(super) fn duration(
    source: &Source<'_>,
    field: &str,
    value: Option<&Spanned<String>>,
    default: Duration,
) -> Result<Duration, ConfigError> {
    Ok(optional(source, field, value)?.unwrap_or(default))
}

/// A time of at least a millisecond, if there is one.
pub(super) fn optional(
    source: &Source<'_>,
    field: &str,
    value: Option<&Spanned<String>>,
) -> Result<Option<Duration>, ConfigError> {
    let Some(value) = value else { return Ok(None) };
    match parse(value.get_ref()) {
        Some(time) if !time.is_zero() => Ok(Some(time)),
        _ => Err(source.refuse(
            value.span().start,
            field,
            format!(
                "'{}' is not a time: write a whole number from 1 and a unit (ms, s, m or h), at most \
                 24h, such as \"5s\"",
                value.get_ref().escape_debug()
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, time) in [
            ("250ms", Some(Duration::from_millis(250))),
            ("5s", Some(Duration::from_secs(5))),
            ("2m", Some(Duration::from_secs(120))),
            ("24h", Some(LONGEST)),
            ("25h", None),
            ("99999999999999999999s", None),
            ("18446744073709551615h", None),
            ("5", None),
            ("s", None),
            ("-5s", None),
            ("5 s", None),
            ("1.5s", None),
            ("", None),
        ] {
            assert_eq!(parse(text), time, "{text:?}");
        }
    }
}
