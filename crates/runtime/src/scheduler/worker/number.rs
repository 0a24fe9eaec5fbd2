//! The number of the thread, for callers that want one below the number of workers.

use super::Worker;
use crate::scheduler::pool::Numbers;
use crate::scheduler::process::{ThreadId, run_time_if_asleep};
use crate::sync::atomic::Ordering;

impl Worker {
    /// The number of this thread: its index if it is a worker, and otherwise one that no other
    /// thread uses while this one runs, kept until the job has ended.
    pub(crate) fn number(&self) -> usize {
        match (&self.shared.numbers, self.kept_number()) {
            (_, Some(number)) => number,
            (None, None) => self.index,
            (Some(numbers), None) => {
                let take = || numbers.try_take_any(self.index);
                let last_resort = self.queue_index();
                let wait = || {
                    let _blocked = self.block();
                    numbers.wait_for_any(self.index, || self.holder_if_asleep(numbers, last_resort))
                };
                let number = take().or_else(wait).unwrap_or(last_resort);
                self.number.set(Some(number));
                number
            }
        }
    }

    /// The number that this thread holds whenever it runs.
    fn kept_number(&self) -> Option<usize> {
        if self.is_spare() {
            self.number.get()
        } else {
            Some(self.index)
        }
    }

    /// This thread is about to sleep, and another may use its number.
    pub(super) fn let_number_go(&self) {
        if let Some(numbers) = &self.shared.numbers
            && let Some(number) = self.kept_number()
        {
            numbers.let_go(number, self.index);
        }
    }

    /// A job on this thread waits for what other threads do, and one of them may wait for the
    /// number that this one holds.
    pub(super) fn take_turns_with_number(&self) {
        if let Some(numbers) = &self.shared.numbers
            && let Some(number) = self.kept_number()
            && numbers.is_wanted(number)
        {
            numbers.pass_on(number, self.index);
            self.take_number_again();
        }
    }

    /// This thread is about to run a job, or to go on with one.
    pub(super) fn take_number_again(&self) {
        let Some(numbers) = &self.shared.numbers else {
            return;
        };
        // Ordering: a hint for threads that wait for the number.
        let thread = ThreadId::current();
        self.seat().thread.store(thread.number(), Ordering::Relaxed);
        let Some(number) = self.kept_number() else {
            return;
        };
        if numbers.try_take(number, self.index) {
            return;
        }
        let _blocked = self.block();
        numbers.wait_for(number, self.index, || {
            self.holder_if_asleep(numbers, number)
        });
    }

    /// What changes whenever the holder of the number runs, if the holder sleeps in the system.
    fn holder_if_asleep(&self, numbers: &Numbers, number: usize) -> Option<String> {
        let holder = numbers.holder(number)?;
        let thread = self.shared.seats[holder].thread.load(Ordering::Relaxed);
        run_time_if_asleep(ThreadId::from_number(thread))
    }

    /// The job that asked for a number has ended.
    pub(super) fn forget_number(&self) {
        if self.is_spare() && self.number.get().is_some() {
            self.let_number_go();
            self.number.set(None);
        }
    }
}
