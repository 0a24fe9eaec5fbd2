//! `filch policies`: every name that can be typed, and what it means.

mod explain;
mod kinds;
mod list;

use crate::args::PoliciesArgs;
use crate::failure::Failure;
use crate::output;
use explain::explain;
use list::{list, listed};

pub(crate) fn run(options: &PoliciesArgs) -> Result<(), Failure> {
    match &options.name {
        None if options.json => output::print_json(&listed()),
        None => output::print(&list()),
        Some(name) => {
            let found = explain(name)?;
            if options.json {
                output::print_json(&found)
            } else {
                output::print(&found.to_string())
            }
        }
    }
}
