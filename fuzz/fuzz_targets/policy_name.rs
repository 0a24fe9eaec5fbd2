//! Names of policies: parsing never panics, what is printed is read back as the same policy, and a
//! policy that starts routes every job of a batch.

#![no_main]

use std::fmt::Display;
use std::str::FromStr;

use filch_policy::dispatch::{Assignment, Dispatch, Spec, View};
use filch_policy::steal::{Steal, StealFunction, Victim};
use filch_random::{Purpose, Seed};
use libfuzzer_sys::fuzz_target;

fn round_trip<T: FromStr + Display + PartialEq>(text: &str) -> Option<T> {
    let value: T = text.parse().ok()?;
    let again = value.to_string().parse::<T>().ok();
    assert!(
        again.as_ref() == Some(&value),
        "{text:?} is printed as {value}"
    );
    Some(value)
}

fuzz_target!(|text: &str| {
    round_trip::<Victim>(text);
    if let Some(function) = round_trip::<StealFunction>(text) {
        for load in [0, 1, 2, 3, 1000, u64::MAX] {
            // BFG03's Property 1.
            assert!(function.jobs(load) <= load / 2);
        }
    }
    let Some(policy) = round_trip::<Spec>(text) else {
        return;
    };
    let queues = [3, 0, 7, 1];
    let view = View::of_queues(&queues).with_speeds(&[1.0, 2.0, 0.5, 1.0]);
    let Ok(mut dispatcher) = policy.start(&view) else {
        return;
    };
    let mut rng = Seed::new(1).stream(Purpose::named("fuzz"), 0, 0);
    dispatcher.fell_idle(1, &view);
    assert!(dispatcher.whole(5, &view, &mut rng) < 4);
    let mut batch = Assignment::over(4);
    dispatcher.split(9, &view, &mut rng, &mut batch);
    assert_eq!((0..4).map(|server| batch.jobs(server)).sum::<u32>(), 9);
});
