//! The width: the number by which programs divide their work, fixed or that of the workers.

use super::BuildError;

/// The width that `FILCH_DETERMINISTIC=on` stands for. `docs/determinism.md` has the measurements
/// that it follows from.
pub const DETERMINISTIC_WIDTH: usize = 64;

const VARIABLE: &str = "FILCH_DETERMINISTIC";

/// The width that was set, or else that of the environment. `None` if work is divided by the number
/// of workers.
pub(crate) fn fixed_width(set: Option<usize>) -> Result<Option<usize>, BuildError> {
    let width = match (set, std::env::var_os(VARIABLE)) {
        (Some(width), _) => width,
        (None, None) => 0,
        (None, Some(text)) => text.to_str().and_then(parsed).ok_or(BuildError::Width)?,
    };
    Ok((width > 0).then_some(width))
}

fn parsed(text: &str) -> Option<usize> {
    match text {
        "on" => Some(DETERMINISTIC_WIDTH),
        "off" => Some(0),
        number => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words() {
        let read = ["16", "1024", "on", "off", "0"].map(parsed);
        let meant = [16, 1024, DETERMINISTIC_WIDTH, 0, 0].map(Some);
        assert_eq!(read, meant);
        assert_eq!(["", "yes", "-1", "1.5", " 64"].map(parsed), [None; 5]);
    }

    #[test]
    fn what_is_set_counts_more_than_the_environment() {
        assert_eq!(fixed_width(Some(7)).unwrap(), Some(7));
        assert_eq!(fixed_width(Some(0)).unwrap(), None);
    }
}
