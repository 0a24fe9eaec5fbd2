use std::time::{Duration, Instant};

use filch_random::{Purpose, Seed, Stream};
use filch_workload::ServiceTime;

use crate::{AnswerNumber, Told};

/// The stream of each server's service times, as in `filch-sim`'s fleet.
const SERVICE: Purpose = Purpose::named("service");

/// The queue of a server with one request in service at a time, first come, first served.
///
/// Nothing waits here. No request overtakes another, so the instant at which a request leaves is
/// known when it arrives (Lindley's recursion): its service begins when it arrives or when its
/// predecessor leaves, whichever is later, and takes the time drawn for it. So a late timer delays
/// one answer, never the work of the server.
#[derive(Debug)]
pub(super) struct ServiceQueue {
    law: ServiceTime,
    rng: Stream,
    free: Instant,
    present: usize,
    answers: AnswerNumber,
}

impl ServiceQueue {
    /// The queue of server number `index` of the trial, empty.
    pub(super) fn new(law: ServiceTime, seed: Seed, index: u64, now: Instant) -> Self {
        Self {
            law,
            rng: seed.stream(SERVICE, 0, index),
            free: now,
            present: 0,
            answers: AnswerNumber {
                boot: AnswerNumber::boot_now(),
                number: 0,
            },
        }
    }

    /// A request arrives. Returns the instant at which it leaves.
    pub(super) fn arrive(&mut self, now: Instant) -> Instant {
        let millis = self.law.sample(&mut self.rng);
        self.present += 1;
        self.free = self.free.max(now) + Duration::from_secs_f64(millis / 1e3);
        self.free
    }

    /// The next request leaves. Returns what its answer says of the server.
    pub(super) fn leave(&mut self) -> Told {
        self.present -= 1;
        self.answers.number = self.answers.number.wrapping_add(1);
        Told::Numbered {
            idle: self.present == 0,
            number: self.answers,
        }
    }

    /// Requests in service or waiting.
    pub(super) fn present(&self) -> usize {
        self.present
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_come_first_served() {
        let start = Instant::now();
        let millis = |n| start + Duration::from_millis(n);
        let law = "constant:10".parse().unwrap();
        let mut queue = ServiceQueue::new(law, Seed::new(1), 0, start);
        assert_eq!(queue.arrive(millis(5)), millis(15));
        assert_eq!(queue.arrive(millis(6)), millis(25));
        assert!(!queue.leave().is_idle());
        assert!(queue.leave().is_idle());
        assert_eq!(queue.arrive(millis(90)), millis(100));
        assert_eq!(queue.present(), 1);
    }

    #[test]
    fn a_server_has_its_own_times() {
        let start = Instant::now();
        let law: ServiceTime = "exp:10".parse().unwrap();
        let times = |index| {
            let mut queue = ServiceQueue::new(law, Seed::new(7), index, start);
            [(); 3].map(|()| queue.arrive(start) - start)
        };
        assert_eq!(times(0), times(0));
        assert_ne!(times(0), times(1));
    }
}
