//! `filch theory`: the bounds alone, a file for each topic.

mod dag;

use crate::args::Theory;
use crate::failure::Failure;

pub(crate) fn run(topic: &Theory) -> Result<(), Failure> {
    match topic {
        Theory::Dag(options) => dag::run(options),
    }
}
