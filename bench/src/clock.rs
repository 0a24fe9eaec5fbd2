//! Wall time is [`std::time::Instant`]; here are the process's CPU time and work of known length.

use std::hint::black_box;
use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::set_current_timer_slack;
use rustix::time::{ClockId, clock_gettime};

/// The CPU time that all threads of this process have used.
pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Computes for `iterations` rounds; never looks at a clock.
#[inline(never)]
pub(crate) fn spin(iterations: u64) -> u64 {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..iterations {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    x
}

/// How many iterations of [`spin`] pass in a microsecond: the fastest of many trials.
pub(crate) fn spins_per_us() -> f64 {
    const ITERATIONS: u64 = 200_000;
    let trial = |_| {
        let start = Instant::now();
        black_box(spin(black_box(ITERATIONS)));
        start.elapsed()
    };
    let fastest = (0..100).map(trial).min().expect("a hundred trials");
    ITERATIONS as f64 / (fastest.as_nanos() as f64 / 1e3)
}

/// Lets this thread's sleeps end when asked rather than up to 50 µs later. Threads inherit the
/// setting, so only a thread that starts no pool calls this.
pub(crate) fn sleep_exactly() {
    // A kernel that refuses leaves the sleeps coarse and the same for every runtime.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
}

/// Sleeps until `deadline`, if that is still to come.
pub(crate) fn sleep_until(deadline: Instant) {
    if let Some(left) = deadline.checked_duration_since(Instant::now()) {
        thread::sleep(left);
    }
}
