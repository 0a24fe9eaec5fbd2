//! The number of the thread, for callers that want one below the number of workers.

use super::Worker;
use crate::scheduler::pool::Numbers;
use crate::scheduler::process::{ThreadId, run_time_if_asleep};
use crate::sync::atomic::Ordering;

impl Worker {
    /// The number of this thread: its index if it is a worker whose number is free, and otherwise
    /// one that no other thread uses while this one runs, kept until the job has ended.
    pub(crate) fn number(&self) -> usize {
        match (&self.shared.numbers, self.number.get()) {
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

    /// This thread, which runs no job, is about to sleep, and another may use its number.
    pub(super) fn let_number_go(&self) {
        if let Some(numbers) = &self.shared.numbers
            && let Some(number) = self.number.get()
        {
            numbers.let_go(number, self.index);
        }
    }

    /// The same in the middle of a job. The job goes on with the number that it has, so others
    /// prefer other numbers.
    pub(super) fn lay_number_down(&self) {
        if let Some(numbers) = &self.shared.numbers
            && let Some(number) = self.number.get()
        {
            numbers.reserve(number);
            numbers.let_go(number, self.index);
        }
    }

    /// A job on this thread waits for what other threads do, and one of them may wait for the
    /// number that this one holds.
    pub(super) fn take_turns_with_number(&self) {
        if let Some(numbers) = &self.shared.numbers
            && let Some(number) = self.number.get()
            && numbers.is_wanted(number)
        {
            numbers.reserve(number);
            numbers.pass_on(number, self.index);
            self.take_number_up(|| ());
        }
    }

    /// This thread, which runs no job, is about to look for one. A worker takes the number that is
    /// its index, and does without if another thread holds it: that one may keep it until a job has
    /// run that only this thread can run.
    pub(super) fn take_own_number(&self) {
        let Some(numbers) = &self.shared.numbers else {
            return;
        };
        self.publish_thread();
        if !self.is_spare() {
            let has_own = numbers.try_take(self.index, self.index);
            self.number.set(has_own.then_some(self.index));
        }
    }

    /// This thread goes on with a job whose number it has laid down. `before_waiting` is called if
    /// it has to wait for the number.
    pub(super) fn take_number_up(&self, before_waiting: impl FnOnce()) {
        let Some(numbers) = &self.shared.numbers else {
            return;
        };
        self.publish_thread();
        if let Some(number) = self.number.get() {
            if !numbers.try_take(number, self.index) {
                before_waiting();
                self.take_number(numbers, number);
            }
            numbers.end_reservation(number);
        }
    }

    fn publish_thread(&self) {
        // Ordering: a hint for threads that wait for a number that this one holds.
        let thread = ThreadId::current();
        self.seat().thread.store(thread.number(), Ordering::Relaxed);
    }

    /// Takes this number, or waits for it.
    fn take_number(&self, numbers: &Numbers, number: usize) {
        if numbers.try_take(number, self.index) {
            return;
        }
        let _blocked = self.block();
        numbers.wait_for(number, self.index, || {
            self.holder_if_asleep(numbers, number)
        });
    }

    /// A share of a broadcast begins, whose number is the index of the worker. Returns the number
    /// of the frames below it, if that is another one.
    pub(crate) fn begin_share(&self) -> Option<usize> {
        let numbers = self.shared.numbers.as_ref()?;
        let below = self.number.get();
        if below == Some(self.index) {
            return None;
        }
        self.lay_number_down();
        self.number.set(Some(self.index));
        self.take_number(numbers, self.index);
        below
    }

    /// A share has ended, and frames with another number go on.
    pub(crate) fn end_share(&self, below: usize) {
        self.let_number_go();
        self.number.set(Some(below));
        self.take_number_up(|| ());
    }

    /// What changes whenever the holder of the number runs, if the holder sleeps in the system.
    fn holder_if_asleep(&self, numbers: &Numbers, number: usize) -> Option<String> {
        let holder = numbers.holder(number)?;
        let thread = self.shared.seats[holder].thread.load(Ordering::Relaxed);
        run_time_if_asleep(ThreadId::from_number(thread))
    }

    /// A job has ended, and with it the use of a number that is not this worker's.
    pub(super) fn forget_number(&self) {
        let number = self.number.get();
        let Some(numbers) = &self.shared.numbers else {
            return;
        };
        if number == Some(self.index) || number.is_none() && self.is_spare() {
            return;
        }
        self.let_number_go();
        let has_own = !self.is_spare() && numbers.try_take(self.index, self.index);
        self.number.set(has_own.then_some(self.index));
    }
}
