//! Names of arrivals, capacities, placements, service times and families: parsing never panics, and
//! what is printed is read back as the same description.

#![no_main]

use std::fmt::Display;
use std::str::FromStr;

use filch_workload::dag::Family;
use filch_workload::{Arrivals, Capacity, Load, Placement, Probability, ServiceTime};
use libfuzzer_sys::fuzz_target;

fn round_trip<T: FromStr + Display + PartialEq>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        let again = value.to_string().parse::<T>().ok();
        assert!(
            again.as_ref() == Some(&value),
            "{text:?} is printed as {value}"
        );
    }
}

fuzz_target!(|text: &str| {
    round_trip::<Arrivals>(text);
    round_trip::<Capacity>(text);
    round_trip::<Placement>(text);
    round_trip::<Probability>(text);
    round_trip::<ServiceTime>(text);
    round_trip::<Load>(text);
    round_trip::<Family>(text);
});
