use toml::Spanned;

use super::source::{ConfigError, Source};

/// Who may connect to a Unix socket if the file does not say: the proxy's own user.
const OWN: u32 = 0o600;

/// Lets the owner of a socket connect to it.
const OWNER_CONNECTS: u32 = 0o200;

/// The permissions of a Unix socket, as `chmod` writes them.
pub(super) fn mode(source: &Source<'_>, raw: Option<&Spanned<String>>) -> Result<u32, ConfigError> {
    let Some(value) = raw else { return Ok(OWN) };
    let text = value.get_ref();
    let is_octal =
        (3..=4).contains(&text.len()) && text.bytes().all(|it| matches!(it, b'0'..=b'7'));
    let mode = u32::from_str_radix(text, 8).ok().filter(|_| is_octal);
    let refuse = |problem: String| source.refuse(value.span().start, "listeners.mode", problem);
    let Some(mode) = mode.filter(|mode| *mode <= 0o777) else {
        return Err(refuse(format!(
            "'{}' is not a mode: write three octal digits, such as \"660\" for owner and group",
            text.escape_debug()
        )));
    };
    if mode & OWNER_CONNECTS == 0 {
        return Err(refuse(format!(
            "'{text}' keeps out the proxy itself, which could not see whether the socket is in \
             use: write one such as \"660\" for owner and group"
        )));
    }
    Ok(mode)
}
