//! The [steps](super#steps), generic in what work is: workers use them with deques and queues, the
//! models with counters.

use filch_deque::asymmetric::heavy;

use super::{Attention, Parker, Sleep, Unparked};
use crate::latch::Latch;
use crate::sync::atomic::{Ordering, fence};

/// *attend*: the caller has forked and found its attention raised. `wake_above` wakes a worker that
/// waits for what the caller runs, and returns whether there was one.
pub(crate) fn attend(
    sleep: &Sleep,
    attention: &Attention,
    publish: impl FnOnce(),
    wake_above: impl FnOnce() -> bool,
    wake_one: impl FnOnce(),
) {
    publish();
    // Lowered before we read the counts. A thread that raises it later is served at the next fork;
    // one that raised it before is counted by now.
    attention.lower();
    let counts = sleep.counts();
    // A waiter comes first: its stack is there already, and what we forked is below its latch.
    if sleep.needs_searcher(counts) && !wake_above() && sleep.has_reserve(counts) {
        wake_one();
    }
}

/// *stop searching*: the caller has found work. If it was the last searcher and others could come,
/// forks have to wake them from now on, and the caller wakes one for the work that exists already.
pub(crate) fn end_search<'worker>(
    sleep: &Sleep,
    attentions: impl ExactSizeIterator<Item = &'worker Attention>,
    has_work: impl FnOnce() -> bool,
    wake_one: impl FnOnce(),
) {
    let Some(counts) = sleep.end_search() else {
        return;
    };
    let others = attentions.len() - 1;
    raise(attentions);
    // Pairs with LIGHT in a fork. An ordinary fence would not do: a forking worker may have lowered
    // its attention while we searched, and then does not reach the fence in `attend`. If all others
    // sleep, none forks.
    if counts.sleeping() < others {
        heavy();
    }
    if has_work() {
        wake_one();
    }
}

/// *fall asleep*, of the idle thread of seat `index`, which searches: `timed_park`, which returns
/// whether it was woken, and then `park`; or `stay_awake` if there is work. `has_work` is told
/// whether the pool is full without this thread. Then only work for this thread alone counts.
/// `threads` counts the threads that have started.
#[expect(
    clippy::too_many_arguments,
    reason = "what a pool and a model do differently"
)]
pub(crate) fn sleep_idle<'worker>(
    sleep: &Sleep,
    index: usize,
    attentions: impl IntoIterator<Item = &'worker Attention>,
    threads: impl FnOnce() -> usize,
    has_work: impl Fn(bool) -> bool,
    timed_park: impl FnOnce() -> bool,
    park: impl FnOnce(),
    stay_awake: impl FnOnce(),
) {
    let counts = sleep.enter(index);
    let is_full = sleep.is_full(counts);
    if !is_full {
        raise(attentions);
    }
    // Pairs with the fence of a thread that has put a job into a queue, and with that of a thread
    // that starts: we count it, or it sees its attention raised at its first fork.
    fence(Ordering::SeqCst);
    if has_work(is_full) && sleep.leave(index) {
        return stay_awake();
    }
    // If the pool is full, the thread that makes it less than full looks for work after that. If
    // all threads are idle, none forks; the first that finds work looks for sleepers when it stops
    // searching.
    if !is_full && counts.sleeping() + counts.searching() < threads() {
        if timed_park() {
            return;
        }
        // Pairs with LIGHT in a fork.
        heavy();
        if has_work(sleep.is_full(sleep.counts())) && sleep.leave(index) {
            return stay_awake();
        }
    }
    park();
}

/// *give back*: the seat of worker `index` was lent, and its worker sleeps from now on. If there is
/// work, `wake` wakes it as a searcher. `has_work` is as for [`sleep_idle`].
pub(crate) fn give_back<'worker>(
    sleep: &Sleep,
    index: usize,
    attentions: impl ExactSizeIterator<Item = &'worker Attention>,
    has_work: impl Fn(bool) -> bool,
    wake: impl FnOnce(),
) {
    let (counts, could_wake) = sleep.give_back(index);
    // The borrower never searched, so no fork was left to it. If the pool could wake another thread
    // before, forks do so already, and this worker has only its own jobs to look for.
    let only_own = could_wake || sleep.is_full(counts);
    let threads = attentions.len();
    if !only_own {
        raise(attentions);
    }
    // Pairs with the fence of a thread that has put a job into a queue.
    fence(Ordering::SeqCst);
    if has_work(only_own) && sleep.leave(index) {
        return wake();
    }
    // As in `sleep_idle`, but there is no timed park: the worker may have timed out of its own
    // already, and would not look again.
    if !only_own && counts.sleeping() + counts.searching() < threads {
        // Pairs with LIGHT in a fork.
        heavy();
        if has_work(sleep.is_full(sleep.counts())) && sleep.leave(index) {
            wake();
        }
    }
}

/// What a waiting thread does in [`sleep_waiting`].
pub(crate) struct Sleeper<W, H, T, P> {
    /// Whether it is counted as a searcher.
    pub(crate) searches: bool,
    /// Whether there is work that it may run while it waits. It is told whether the pool is full
    /// without this thread.
    pub(crate) has_work: W,
    /// Wakes or starts a thread for the work that others may run.
    pub(crate) hand_over: H,
    pub(crate) timed_park: T,
    /// `None` if the thread should stay awake after all.
    pub(crate) park: P,
}

/// *fall asleep*, of a thread that waits for `latch`. Returns why it was woken, or `None` if it
/// stayed awake because the latch is set or there is work. Then it is a searcher if it was one.
pub(crate) fn sleep_waiting<'worker>(
    sleep: &Sleep,
    latch: &Latch,
    parker: &Parker,
    attentions: impl IntoIterator<Item = &'worker Attention>,
    sleeper: Sleeper<
        impl Fn(bool) -> bool,
        impl Fn(),
        impl FnOnce() -> Option<Unparked>,
        impl Fn() -> Option<Unparked>,
    >,
) -> Option<Unparked> {
    // Before the latch is asleep: the thread that wakes us counts us as active again.
    if sleeper.searches {
        sleep.tally().block_searcher();
    } else {
        sleep.tally().block();
    }
    // As before: a searcher looks for work that others may run when it ends its search.
    let stay_awake = || {
        if sleeper.searches {
            sleep.tally().unblock_to_search();
        } else {
            sleep.tally().unblock();
        }
        None
    };
    if !latch.fall_asleep(parker) {
        return stay_awake();
    }
    raise(attentions);
    // Pairs with the fence in `start` and in `Latch::wake`, and with that of a thread that has put
    // a job into a queue.
    fence(Ordering::SeqCst);
    let has_work = || (sleeper.has_work)(sleep.is_full(sleep.counts()));
    if has_work() && latch.cancel_sleep(parker) {
        return stay_awake();
    }
    (sleeper.hand_over)();
    if let Some(reason) = (sleeper.timed_park)() {
        return Some(reason);
    }
    // Pairs with LIGHT in a fork.
    heavy();
    if has_work() && latch.cancel_sleep(parker) {
        return stay_awake();
    }
    (sleeper.hand_over)();
    loop {
        match (sleeper.park)() {
            None if latch.cancel_sleep(parker) => return stay_awake(),
            // An unpark is on its way.
            None => {}
            reason => return reason,
        }
    }
}

/// *block*: the caller, which is active, is about to block in code of the user.
pub(crate) fn block<'worker>(
    sleep: &Sleep,
    attentions: impl IntoIterator<Item = &'worker Attention>,
    hand_over: impl FnOnce(),
) {
    sleep.tally().block();
    raise(attentions);
    // Pairs with LIGHT in a fork, and with the fence of a thread that has put a job into a queue.
    heavy();
    hand_over();
}

/// *start a stolen child*, or return to it: the caller has published its root. `is_awaited` returns
/// whether a worker sleeps that waits for what the caller runs.
pub(crate) fn start(attention: &Attention, is_awaited: impl FnOnce() -> bool) {
    // Pairs with the fence in `sleep_waiting`: the waiter sees our root, or we see its latch
    // asleep. The waiter may have raised our attention while we had another root, and we may have
    // lowered it since.
    fence(Ordering::SeqCst);
    if is_awaited() {
        attention.raise();
    }
}

fn raise<'worker>(attentions: impl IntoIterator<Item = &'worker Attention>) {
    // Pairs with the fence in `lower`: we see the flag lowered and raise it, or the owner that
    // lowers it sees what we have counted.
    fence(Ordering::SeqCst);
    attentions.into_iter().for_each(Attention::raise_for_sleep);
}
