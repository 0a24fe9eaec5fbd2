//! `cargo filch profile`: records a program, and shows what the recording says.

mod recording;
mod wanted;

pub(crate) use self::recording::Recording;
pub(crate) use self::wanted::Wanted;
