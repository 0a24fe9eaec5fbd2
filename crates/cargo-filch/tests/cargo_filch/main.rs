//! The built program, called in the folders of small rayon programs.

mod commands;
#[cfg(unix)]
mod signals;
mod support;
