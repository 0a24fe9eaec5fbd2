//! `filch theory`: what the papers promise, without simulating.

pub(crate) mod large;
pub(crate) mod natural;

use crate::args::Theory;
use crate::failure::Failure;

pub(crate) fn run(options: &Theory) -> Result<(), Failure> {
    match options {
        Theory::Natural(options) => natural::run(options),
    }
}
