use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Where the requests at a server are served.
#[derive(Debug)]
pub(super) enum Station<T> {
    /// First come, first served: for each place in service, when it will be free. Requests begin in
    /// the order of arrival, so the instant at which a request leaves is known when it arrives
    /// (Kiefer and Wolfowitz's recursion, Lindley's if there is one place).
    Line { free: Vec<f64> },
    /// Processor sharing.
    Shared(Shared<T>),
}

/// Requests that share processors: each is served at the same rate, at most one processor's.
///
/// `attained` is the service that a request would have that has been there since the start. A
/// request that arrives leaves when that has grown by its own service time.
#[derive(Debug)]
pub(super) struct Shared<T> {
    processors: f64,
    present: BinaryHeap<Job<T>>,
    attained: f64,
    at: f64,
    /// Changes with every arrival and departure: an event of an earlier version is void.
    pub(super) version: u64,
}

#[derive(Debug)]
struct Job<T> {
    /// It leaves when `attained` is this.
    leaves: f64,
    number: u64,
    job: T,
}

impl<T> Station<T> {
    pub(super) fn new(at_once: u32, shares: bool) -> Self {
        if shares {
            Self::Shared(Shared {
                processors: f64::from(at_once),
                present: BinaryHeap::new(),
                attained: 0.0,
                at: 0.0,
                version: 0,
            })
        } else {
            Self::Line {
                free: vec![0.0; at_once as usize],
            }
        }
    }
}

impl<T> Shared<T> {
    fn rate(&self) -> f64 {
        (self.processors / self.present.len().max(1) as f64).min(1.0)
    }

    fn advance(&mut self, now: f64) {
        self.attained += (now - self.at) * self.rate();
        self.at = now;
        self.version += 1;
    }

    pub(super) fn arrive(&mut self, now: f64, service: f64, number: u64, job: T) {
        self.advance(now);
        let leaves = self.attained + service;
        self.present.push(Job {
            leaves,
            number,
            job,
        });
    }

    /// When the next request leaves if none arrives before.
    pub(super) fn next(&self) -> Option<f64> {
        let first = self.present.peek()?;
        Some(self.at + ((first.leaves - self.attained) / self.rate()).max(0.0))
    }

    /// The next request leaves, now.
    pub(super) fn leave(&mut self, now: f64) -> Option<T> {
        self.advance(now);
        self.present.pop().map(|job| job.job)
    }
}

/// The heap gives the greatest first: the next to leave is the greatest.
impl<T> Ord for Job<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        let later = other.leaves.total_cmp(&self.leaves);
        later.then(other.number.cmp(&self.number))
    }
}

impl<T> PartialOrd for Job<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Job<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Job<T> {}
