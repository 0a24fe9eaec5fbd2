use std::time::{Duration, Instant};

use filch_random::{Seed, Stream};
use filch_workload::streams::SERVICE;

use super::ToyKind;
use crate::{AnswerNumber, Told};

/// The queue of a server, first come, first served.
///
/// Nothing waits here. Requests begin in the order of arrival, so the instant at which a request
/// leaves is known when it arrives: its service begins when it arrives or when the first place in
/// service is free, whichever is later, and takes the time drawn for it. So a late timer delays
/// one answer, never the work of the server.
#[derive(Debug)]
pub(super) struct ServiceQueue {
    kind: ToyKind,
    rng: Stream,
    /// When each place in service will be free.
    free: Vec<Instant>,
    present: usize,
    answers: AnswerNumber,
}

impl ServiceQueue {
    /// The queue of server number `index` of the trial, empty.
    pub(super) fn new(kind: ToyKind, seed: Seed, index: u64, now: Instant) -> Self {
        Self {
            kind,
            rng: seed.stream(SERVICE, 0, index),
            free: vec![now; kind.at_once.max(1)],
            present: 0,
            answers: AnswerNumber {
                boot: AnswerNumber::boot_now(),
                number: 0,
            },
        }
    }

    /// A request arrives. Returns the instant at which it leaves.
    pub(super) fn arrive(&mut self, now: Instant) -> Instant {
        let millis = self.kind.law.sample(&mut self.rng);
        let service = Duration::from_secs_f64(millis / 1e3);
        self.present += 1;
        let first = self.free.iter_mut().min();
        let place = first.expect("a server serves at least one request at a time");
        *place = now.max(*place) + self.kind.fails_after.unwrap_or(service);
        *place
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
    use filch_workload::ServiceTime;

    #[test]
    fn first_come_first_served() {
        let start = Instant::now();
        let millis = |n| start + Duration::from_millis(n);
        let law: ServiceTime = "constant:10".parse().unwrap();
        let mut queue = ServiceQueue::new(law.into(), Seed::new(1), 0, start);
        assert_eq!(queue.arrive(millis(5)), millis(15));
        assert_eq!(queue.arrive(millis(6)), millis(25));
        assert!(!queue.leave().is_idle());
        assert!(queue.leave().is_idle());
        assert_eq!(queue.arrive(millis(90)), millis(100));
        assert_eq!(queue.present(), 1);
    }

    #[test]
    fn two_at_a_time() {
        let start = Instant::now();
        let millis = |n| start + Duration::from_millis(n);
        let law: ServiceTime = "constant:10".parse().unwrap();
        let kind = ToyKind {
            at_once: 2,
            ..law.into()
        };
        let mut queue = ServiceQueue::new(kind, Seed::new(1), 0, start);
        let leaves = [0, 1, 2].map(|n| queue.arrive(millis(n)));
        assert_eq!(leaves, [10, 11, 20].map(millis));
    }

    #[test]
    fn a_server_has_its_own_times() {
        let start = Instant::now();
        let law: ServiceTime = "exp:10".parse().unwrap();
        let times = |index| {
            let mut queue = ServiceQueue::new(law.into(), Seed::new(7), index, start);
            [(); 3].map(|()| queue.arrive(start) - start)
        };
        assert_eq!(times(0), times(0));
        assert_ne!(times(0), times(1));
    }
}
