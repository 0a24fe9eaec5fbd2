//! `filch theory`: what the papers promise, without simulating; a file for each topic.

pub(crate) mod dag;
pub(crate) mod natural;

use crate::args::TheoryTopic;
use crate::failure::Failure;

pub(crate) fn run(topic: &TheoryTopic) -> Result<(), Failure> {
    match topic {
        TheoryTopic::Dag(options) => dag::run(options),
        TheoryTopic::Natural(options) => natural::run(options),
    }
}
