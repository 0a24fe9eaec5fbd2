//! A server's handlers on tokio, and its batches on a pool: neither blocks the other.
//!
//! ```sh
//! cargo run --release -p filch-examples --example async_requests
//! ```
//!
//! The processors of the container are shared out once. Batches come through an intake that lets
//! two of them wait: when it is full, the handler refuses. A request that its client gives up is
//! dropped, and its batch does not start.

use std::error::Error;
use std::time::Duration;

use filch::{CoreBudget, Intake, Pool};

/// The sum of the squares below `most`, in parallel: some milliseconds.
fn batch(most: u64) -> u64 {
    let numbers: Vec<u64> = (0..most).collect();
    filch::map_reduce(&numbers, |n| n * n % 1_000, |a, b| a + b).unwrap_or(0)
}

/// A handler: it awaits, and blocks no thread of the executor.
async fn handle(intake: &Intake, most: u64) -> Result<u64, &'static str> {
    let permit = intake.try_permit().ok_or("503: too many batches wait")?;
    Ok(permit.run(move || batch(most)).await)
}

fn main() -> Result<(), Box<dyn Error>> {
    // At least two, so that the example also runs in a container with one.
    let budget = CoreBudget::new(CoreBudget::of_process().total().max(2));
    let for_requests = budget.take(1)?;
    let for_batches = budget.take_rest()?;
    let pool = Pool::new(for_batches.count())?;
    let intake = pool.intake(2);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(for_requests.count())
        .enable_time()
        .build()?;

    runtime.block_on(async {
        assert_eq!(handle(&intake, 1_000).await, Ok(batch(1_000)));

        // A flood: some are refused, and the small request in between is not delayed by any.
        let flood: Vec<_> = (0..50)
            .map(|_| {
                let intake = intake.clone();
                tokio::spawn(async move { handle(&intake, 200_000).await })
            })
            .collect();
        let small = tokio::spawn(async { 6 * 7 });
        assert_eq!(small.await?, 42);
        let mut refused = 0;
        for request in flood {
            refused += u32::from(request.await?.is_err());
        }
        println!("of 50 batches at once, {refused} were refused");

        // A client that gives up: the future is dropped, and with it a batch that has not begun.
        let patience = Duration::from_micros(1);
        let given_up = tokio::time::timeout(patience, handle(&intake, 200_000)).await;
        println!("an impatient client: {given_up:?}");
        Ok::<(), Box<dyn Error>>(())
    })
}
