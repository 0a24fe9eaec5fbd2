//! A cell of a text table.

use std::fmt;

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use crate::escape;

/// A cell: text on one line, in which [`escape::terminal`] has made everything visible, and perhaps
/// a colour, which takes no room.
#[derive(Clone, Debug, Default)]
pub struct TextCell {
    text: String,
    style: Style,
}

impl TextCell {
    /// Text in a colour.
    pub fn styled(text: &str, style: Style) -> Self {
        Self {
            text: escape::terminal(text),
            style,
        }
    }

    pub(super) fn width(&self) -> usize {
        self.text.width()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn is_number(&self) -> bool {
        self.text.is_empty() || self.text.parse::<f64>().is_ok()
    }
}

impl From<&str> for TextCell {
    fn from(text: &str) -> Self {
        Self::styled(text, Style::new())
    }
}

impl From<String> for TextCell {
    fn from(text: String) -> Self {
        Self::from(&*text)
    }
}

impl fmt::Display for TextCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, style } = self;
        write!(f, "{style}{text}{style:#}")
    }
}
