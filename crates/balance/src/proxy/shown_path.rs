use std::path::Path;

/// A path as messages show it, on one line whatever its name.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}
