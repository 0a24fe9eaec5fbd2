//! The legend of a figure: a list of buttons that switch curves off and on.

use std::fmt::Write as _;

use super::curve;
use super::style::Styles;
use crate::escape::markup;
use crate::values::Origin;

/// The curves of which `is_there` holds, in the order of all curves.
pub(super) fn list(styles: &Styles, is_there: &dyn Fn(&str, Origin) -> bool) -> String {
    let mut list = String::from("<ul class=\"legend\">");
    for (label, origin, style) in styles.iter() {
        if !is_there(label, origin) {
            continue;
        }
        let shape = match origin {
            Origin::Theory => String::new(),
            _ => format!(
                r#"<path class="marks" d="{}"/>"#,
                curve::marker(style, [14.0, 7.0])
            ),
        };
        let _ = write!(
            list,
            r#"<li><button type="button" aria-pressed="true" data-label="{0}" data-origin="{2}"><svg class="swatch {1}" viewBox="0 0 28 14" aria-hidden="true"><path class="line" d="M1 7L27 7"/>{shape}</svg>{0}</button></li>"#,
            markup(label),
            style.classes(origin),
            origin.name()
        );
    }
    list.push_str("</ul>\n");
    list
}
