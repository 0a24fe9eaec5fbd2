//! Single values: numbers in a range, one of a few words.

use std::fmt::Display;
use std::ops::RangeInclusive;

use toml::Spanned;

use super::source::{ConfigError, Source};

/// A whole number in this range, if there is one.
pub(super) fn whole<N: TryFrom<i64> + PartialOrd + Display>(
    source: &Source<'_>,
    field: &str,
    said: Option<&Spanned<i64>>,
    range: RangeInclusive<N>,
) -> Result<Option<N>, ConfigError> {
    let Some(said) = said else { return Ok(None) };
    let number = *said.get_ref();
    match N::try_from(number) {
        Ok(number) if range.contains(&number) => Ok(Some(number)),
        _ => Err(source.refuse(
            said.span().start,
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
    said: Option<&Spanned<String>>,
    words: &[(&str, T)],
) -> Result<Option<T>, ConfigError> {
    let Some(said) = said else { return Ok(None) };
    let found = words.iter().find(|(word, _)| word == said.get_ref());
    found.map(|(_, meaning)| Some(*meaning)).ok_or_else(|| {
        let words: Vec<_> = words
            .iter()
            .map(|(word, _)| format!("\"{word}\""))
            .collect();
        let problem = format!(
            "'{}' is not allowed: write {}",
            said.get_ref().escape_debug(),
            words.join(" or ")
        );
        source.refuse(said.span().start, field, problem)
    })
}
