//! Independent jobs: `spawn` sends one to the pool, `spawn_batch` many, and a handle has the
//! result.
//!
//! ```sh
//! cargo run --release -p filch-examples --example jobs
//! ```
//!
//! A job goes to an idle worker, and if no worker is idle to the one that was idle last. The policy
//! is a name of `filch policies`, chosen when a pool is built; here it is JSQ(2). A job that panics
//! harms no other job: its handle has the payload.

use std::error::Error;

use filch::Pool;

/// How many steps the Collatz sequence takes from `start` to 1.
fn collatz(start: u64) -> u32 {
    let mut steps = 0;
    let mut number = start;
    while number != 1 {
        number = if number.is_multiple_of(2) {
            number / 2
        } else {
            3 * number + 1
        };
        steps += 1;
    }
    steps
}

fn main() -> Result<(), Box<dyn Error>> {
    // On the global pool, with the default policy.
    let one = filch::spawn(|| collatz(27));
    println!("27 takes {} steps", one.join().expect("no panic"));

    // On a pool of your own. The policy splits the batch over the workers.
    let pool = Pool::builder()
        .threads(2)
        .dispatch("jsq:2".parse()?)
        .build()?;
    let handles = pool.spawn_batch((1..=1000).map(|start| move || (collatz(start), start)));
    let steps = handles.into_iter().map(|job| job.join().expect("no panic"));
    let (most, start) = steps.max().ok_or("no jobs")?;
    assert_eq!((most, start), (178, 871));
    println!("of 1 … 1000, {start} takes most steps: {most}");
    Ok(())
}
