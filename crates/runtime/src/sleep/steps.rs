//! The [steps](super#steps), generic in what work is: workers use them with deques and queues, the
//! models with counters.

use filch_deque::asymmetric::heavy;

use super::{Attention, Parker, Sleep};
use crate::latch::Latch;
use crate::sync::atomic::{Ordering, fence};

/// *attend*: the caller has forked and found its attention raised.
pub(crate) fn attend<'latch>(
    sleep: &Sleep,
    attention: &Attention,
    publish: impl FnOnce(),
    wake_one: impl FnOnce(),
    root: impl FnOnce() -> Option<&'latch Latch>,
) {
    publish();
    // Lowered before we read the counts. A worker that raises it later is served at the next fork;
    // one that raised it before is counted by now.
    attention.lower();
    let counts = sleep.counts();
    if counts.sleeping() > 0 && counts.searching() == 0 {
        wake_one();
    }
    // The worker that waits for what we run may help with what we forked.
    if let Some(root) = root() {
        root.wake();
    }
}

/// *stop searching*: the caller has found work. If it was the last searcher while others sleep,
/// forks have to wake them from now on, and the caller wakes one for the work that exists already.
pub(crate) fn end_search<'worker>(
    sleep: &Sleep,
    attentions: impl ExactSizeIterator<Item = &'worker Attention>,
    has_work: impl FnOnce() -> bool,
    wake_one: impl FnOnce(),
) {
    let Some(before) = sleep.end_search() else {
        return;
    };
    let others = attentions.len() - 1;
    raise(attentions);
    // Pairs with LIGHT in a fork. An ordinary fence would not do: a forking worker may have lowered
    // its attention while we searched, and then does not reach the fence in `attend`. If all others
    // sleep, none forks.
    if before.sleeping() < others {
        heavy();
    }
    if has_work() {
        wake_one();
    }
}

/// *fall asleep*, of the idle worker `index`, which searches: `timed_park`, which returns whether
/// it was woken, and then `park`; or `stay_awake` if there is work.
pub(crate) fn sleep_idle<'worker>(
    sleep: &Sleep,
    index: usize,
    attentions: impl ExactSizeIterator<Item = &'worker Attention>,
    has_work: impl Fn() -> bool,
    timed_park: impl FnOnce() -> bool,
    park: impl FnOnce(),
    stay_awake: impl FnOnce(),
) {
    let counts = sleep.enter(index);
    let workers = attentions.len();
    raise(attentions);
    // Pairs with the fence of a thread that has put a job into a queue.
    fence(Ordering::SeqCst);
    if has_work() && sleep.leave(index) {
        return stay_awake();
    }
    // If all workers are idle, none forks. The first that finds work looks for sleepers when it
    // stops searching.
    if counts.sleeping() + counts.searching() < workers {
        if timed_park() {
            return;
        }
        // Pairs with LIGHT in a fork.
        heavy();
        if has_work() && sleep.leave(index) {
            return stay_awake();
        }
    }
    park();
}

/// *fall asleep*, of a worker that waits for `latch` and helps below it: `timed_park`, which
/// returns whether it was woken, and then `park`. Returns at once if the latch is set or there is
/// work.
pub(crate) fn sleep_below<'worker>(
    latch: &Latch,
    parker: &Parker,
    attentions: impl IntoIterator<Item = &'worker Attention>,
    is_work_below: impl Fn() -> bool,
    timed_park: impl FnOnce() -> bool,
    park: impl FnOnce(),
) {
    let announce = || {
        raise(attentions);
        // Pairs with the fence in `start`, and with that of a broadcaster that has put a share into
        // the queue.
        fence(Ordering::SeqCst);
    };
    sleep_on(latch, parker, announce, &is_work_below, || {
        if timed_park() {
            return;
        }
        // Pairs with LIGHT in a fork.
        heavy();
        if !(is_work_below() && latch.cancel_sleep(parker)) {
            park();
        }
    });
}

/// *fall asleep*, of a worker that waits for work outside its pool and serves calls. A caller puts
/// its call into a queue before [`Latch::wake`].
pub(crate) fn sleep_outside(
    latch: &Latch,
    parker: &Parker,
    is_called: impl FnOnce() -> bool,
    park: impl FnOnce(),
) {
    // Pairs with the fence in `Latch::wake`.
    let announce = || fence(Ordering::SeqCst);
    sleep_on(latch, parker, announce, is_called, park);
}

fn sleep_on(
    latch: &Latch,
    parker: &Parker,
    announce: impl FnOnce(),
    is_work: impl FnOnce() -> bool,
    park: impl FnOnce(),
) {
    if !latch.fall_asleep(parker) {
        return;
    }
    announce();
    if is_work() && latch.cancel_sleep(parker) {
        return;
    }
    park();
}

/// *start a stolen child*, or return to it: the caller has made `latch` its root.
pub(crate) fn start(latch: &Latch, attention: &Attention) {
    // Pairs with the fence in `sleep_below`: the waiter sees our root, or we see the latch asleep.
    // The waiter may have raised our attention while we had another root, and we may have lowered
    // it since.
    fence(Ordering::SeqCst);
    if latch.is_asleep() {
        attention.raise();
    }
}

fn raise<'worker>(attentions: impl IntoIterator<Item = &'worker Attention>) {
    attentions.into_iter().for_each(Attention::raise_for_sleep);
}
