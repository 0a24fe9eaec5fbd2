use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{AnswerNumber, Told};

/// How many requests are in service, and how many answers have been given.
///
/// Both are in one atomic: the count in the lower half, the number of the last answer in the upper
/// half. So an answer takes its number and sees the count in one step, and the answer with the
/// greatest number has seen the latest count.
///
/// Ordering: the word guards no other data, and all read-modify-write operations on one atomic have
/// one total order. So relaxed ones suffice for exactly one request to see itself as the last.
#[derive(Clone, Debug)]
pub(super) struct InService {
    word: Arc<AtomicU64>,
    boot: u64,
}

/// One answer more, in the upper half.
const ANSWER: u64 = 1 << 32;

impl Default for InService {
    fn default() -> Self {
        Self {
            word: Arc::default(),
            boot: AnswerNumber::boot_now(),
        }
    }
}

impl InService {
    pub(super) fn enter(&self) -> Presence {
        self.word.fetch_add(1, Ordering::Relaxed);
        Presence(Some(self.clone()))
    }

    pub(super) fn count(&self) -> usize {
        count(self.word.load(Ordering::Relaxed)) as usize
    }

    /// What an answer says that left this word, if it leaves the server idle when the count is
    /// `idle`.
    fn told(&self, word: u64, idle: u32) -> Told {
        let number = AnswerNumber {
            boot: self.boot,
            number: (word >> 32) as u32,
        };
        Told::Numbered {
            idle: count(word) == idle,
            number,
        }
    }
}

fn count(word: u64) -> u32 {
    word as u32
}

/// A request in service, until it is dropped.
#[derive(Debug)]
pub(super) struct Presence(Option<InService>);

impl Presence {
    /// The answer goes out, but the request stays in service: idle if no other one is there.
    pub(super) fn answer(&self) -> Told {
        let Some(all) = &self.0 else {
            return Told::Silent;
        };
        let word = all.word.fetch_add(ANSWER, Ordering::Relaxed);
        all.told(word.wrapping_add(ANSWER), 1)
    }

    /// The answer goes out and ends the request: idle if it was the last.
    pub(super) fn leave(mut self) -> Told {
        let Some(all) = self.0.take() else {
            return Told::Silent;
        };
        // The count is above 0, so nothing is borrowed from the upper half.
        let word = all.word.fetch_add(ANSWER - 1, Ordering::Relaxed);
        all.told(word.wrapping_add(ANSWER - 1), 0)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(all) = &self.0 {
            all.word.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn read(told: Told) -> (u32, bool) {
        match told {
            Told::Numbered { idle, number } => (number.number, idle),
            told => panic!("{told:?} without a number"),
        }
    }

    /// Whatever the order in which threads answer, each number is given once and the greatest says
    /// idle: after it no request is there.
    #[test]
    fn the_newest_answer_is_right() {
        for _ in 0..50 {
            let all = InService::default();
            let answer = |long: bool| {
                let presence = all.enter();
                if long {
                    read(presence.answer())
                } else {
                    read(presence.leave())
                }
            };
            // Long answers only at first: a long one that ends after the newest word is a stream.
            let mut told: Vec<(u32, bool)> = thread::scope(|scope| {
                let threads: Vec<_> = (0..4)
                    .map(|n| scope.spawn(move || [answer(n == 0), answer(false)]))
                    .collect();
                let joined = threads
                    .into_iter()
                    .flat_map(|thread| thread.join().unwrap());
                joined.collect()
            });
            told.push(answer(false));
            told.sort_unstable();
            let numbers: Vec<u32> = told.iter().map(|word| word.0).collect();
            assert_eq!(numbers, (1..=9).collect::<Vec<_>>());
            assert!(told[8].1);
            assert_eq!(all.count(), 0);
        }
    }

    /// The number goes on with 0 after the greatest, and the count does not notice.
    #[test]
    fn numbers_start_again() {
        let all = InService::default();
        all.word.store(u64::from(u32::MAX) << 32, Ordering::Relaxed);
        let (first, second) = (all.enter(), all.enter());
        assert_eq!(read(first.answer()), (0, false));
        drop(first);
        assert_eq!(read(second.leave()), (1, true));
        assert_eq!(all.count(), 0);
    }
}
