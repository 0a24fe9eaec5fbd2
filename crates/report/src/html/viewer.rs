//! The schedule viewer: the recorded runs, and where the script draws them.

use std::fmt::Write as _;

use crate::escape::json_in_script;
use crate::values::Schedule;

/// What the script finds and fills.
const STAGE: &str = include_str!("viewer.html");

pub(super) fn write(page: &mut String, schedules: &[Schedule]) {
    if schedules.is_empty() {
        return;
    }
    let json = serde_json::to_string(schedules).expect("our values are plain data");
    page.push_str(STAGE);
    let _ = writeln!(
        page,
        "<script type=\"application/json\" id=\"recorded\">{}</script>",
        json_in_script(&json)
    );
}
