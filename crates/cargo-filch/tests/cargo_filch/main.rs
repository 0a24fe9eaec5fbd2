//! The built program, called in the folders of small rayon programs.

mod commands;
mod profile;
#[cfg(unix)]
mod signals;
mod support;
