//! Text into HTML and SVG and onto the terminal, JSON into scripts, CSV files into links.

/// Text that means the same inside an element and inside a quoted attribute, of HTML as of XML.
/// Control characters, which XML forbids, become �; tabs and line ends stay.
///
/// ```
/// use filch_report::escape::markup;
///
/// assert_eq!(markup("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
/// ```
pub fn markup(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' => safe.push(character),
            other if other.is_control() => safe.push(char::REPLACEMENT_CHARACTER),
            other => safe.push(other),
        }
    }
    safe
}

/// Text on one line of a terminal: characters that would not be seen, move the cursor or change the
/// colour are written as Rust writes them in a string. Names from files may hold such characters.
///
/// ```
/// use filch_report::escape::terminal;
///
/// assert_eq!(terminal("a\n\u{1b}[31m"), r"a\n\u{1b}[31m");
/// ```
pub fn terminal(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        let mut escaped = character.escape_debug();
        match (escaped.next(), escaped.next()) {
            // Quotes and backslashes do no harm.
            (Some('\\'), Some('\'' | '"' | '\\')) => line.push(character),
            (Some('\\'), Some(_)) => line.extend(character.escape_debug()),
            _ => line.push(character),
        }
    }
    line
}

/// JSON that can stand inside a script element: whatever its strings hold, the element does not end
/// early. It is the same JSON to a parser.
pub(crate) fn json_in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// A CSV file as an address, so that the page holds its own data.
pub(crate) fn data_link(csv: &str) -> String {
    let mut link = String::from("data:text/csv;charset=utf-8,");
    for byte in csv.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => link.push(char::from(byte)),
            b',' | b'.' | b'-' | b':' | b'(' | b')' | b'=' | b'+' | b'*' | b'/' => {
                link.push(char::from(byte));
            }
            other => link.push_str(&format!("%{other:02X}")),
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(
            markup(r#"<b title="it's">a & b</b>"#),
            "&lt;b title=&quot;it&#39;s&quot;&gt;a &amp; b&lt;/b&gt;"
        );
        assert_eq!(markup("a\tb\nc\u{1}\r"), "a\tb\nc��");
    }

    #[test]
    fn a_terminal_shows_one_line() {
        for (text, expected) in [
            ("Γ1 \"a\" 'b' \\", "Γ1 \"a\" 'b' \\"),
            ("a\nb\tc\u{1b}[31m", r"a\nb\tc\u{1b}[31m"),
            // A mark that turns the direction of the text, and the other escape.
            ("x\u{202e}y\u{9b}", r"x\u{202e}y\u{9b}"),
        ] {
            assert_eq!(terminal(text), expected);
        }
    }

    #[test]
    fn a_script_does_not_end_early() {
        let value = serde_json::json!({ "name": "</script><!-- \u{2028}" });
        let inside = json_in_script(&value.to_string());
        assert!(!inside.contains('<') && !inside.contains('\u{2028}'));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&inside).unwrap(),
            value
        );
    }

    #[test]
    fn a_link_holds_every_byte() {
        assert_eq!(
            data_link("a,\"λ\"\n1,2%\n"),
            "data:text/csv;charset=utf-8,a,%22%CE%BB%22%0A1,2%25%0A"
        );
    }
}
