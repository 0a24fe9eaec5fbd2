//! `filch theory`: what the papers promise, without simulating; a file for each topic.

mod dag;
pub(crate) mod large;
pub(crate) mod natural;

use crate::args::Theory;
use crate::failure::Failure;

pub(crate) fn run(topic: &Theory) -> Result<(), Failure> {
    match topic {
        Theory::Dag(options) => dag::run(options),
        Theory::Natural(options) => natural::run(options),
    }
}
