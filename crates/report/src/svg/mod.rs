//! Plots as pictures: SVG that is complete without a script.

mod axes;
mod axis_scale;
mod colour;
mod curve;
mod figure;
mod legend;
mod panels;
mod round_step;
mod style;
mod ticks;

pub(crate) use colour::COLOURS;
pub(crate) use figure::{figure, thumbnail};
