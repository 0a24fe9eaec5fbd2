//! Single values: numbers in a range, one of a few words.

use std::fmt::Display;
use std::ops::RangeInclusive;

use toml::Spanned;

use super::source::{ConfigError, Source};

/// A whole number in this range, if there is one.
pub(super) fn whole<N: TryFrom<i64> + PartialOrd + Display>(
    source: &Source<'_>,
    field: &str,
    value: Option<&Spanned<i64>>,
    range: RangeInclusive<N>,
) -> Result<Option<N>, ConfigError> {
    let Some(value) = value else { return Ok(None) };
    let number = *value.get_ref();
    match N::try_from(number) {
        Ok(number) if range.contains(&number) => Ok(Some(number)),
        _ => Err(source.refuse(
            value.span().start,
            field,
            format!(
                "{number} is not allowed: give a whole number from {} to {}",
                range.start(),
                range.end()
            ),
        )),
    }
}

/// One of a few words, each with its meaning; `None` if there is no word.
pub(super) fn word<T: Copy>(
    source: &Source<'_>,
    field: &str,
    value: Option<&Spanned<String>>,
    words: &[(&str, T)],
) -> Result<Option<T>, ConfigError> {
    let Some(value) = value else { return Ok(None) };
    let found = words.iter().find(|(word, _)| word == value.get_ref());
    found.map(|(_, meaning)| Some(*meaning)).ok_or_else(|| {
        let words: Vec<_> = words
            .iter()
            .map(|(word, _)| format!("\"{word}\""))
            .collect();
        let problem = format!(
            "'{}' is not allowed: write {}",
            value.get_ref().escape_debug(),
            words.join(" or ")
        );
        source.refuse(value.span().start, field, problem)
    })
}
