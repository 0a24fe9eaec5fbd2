//! The [steps](super#steps), for any idea of what work is: workers take them with deques and queues,
//! the models with counters.

use filch_deque::asymmetric::heavy;

use super::{Attention, Parker, Sleep, Unparked};
use crate::latch::Latch;
use crate::sync::atomic::{Ordering, fence};

/// *attend*: the caller has forked and found that somebody wants something.
pub(crate) fn attend(
    sleep: &Sleep,
    attention: &Attention,
    publish: impl FnOnce(),
    wake_one: impl FnOnce(),
    wake_above: impl FnOnce() -> bool,
) {
    publish();
    // Lowered before we look. A worker that raises it later is served at the next fork; one that
    // raised it before is counted by now.
    attention.lower();
    let counts = sleep.counts();
    // A worker that waits for what we run may help with what we forked, and has a stack for it.
    if sleep.wants_help(counts) && !wake_above() && sleep.has_more(counts) {
        wake_one();
    }
}

/// The caller stops searching because it has found something. If it was the last while others could be
/// woken, forks have to wake them from now on, and what is there already is for one of them.
pub(crate) fn end_search<'worker>(
    sleep: &Sleep,
    everybody: impl ExactSizeIterator<Item = &'worker Attention>,
    is_anything_to_do: impl FnOnce() -> bool,
    wake_one: impl FnOnce(),
) {
    let Some(counts) = sleep.end_search() else {
        return;
    };
    let others = everybody.len() - 1;
    raise(everybody);
    // Pairs with LIGHT in a fork. An ordinary fence would not do: a worker that forks may have lowered its
    // attention while we searched, and does not come to the fence in `attend`. If all others sleep,
    // none of them forks.
    if counts.sleeping() < others {
        heavy();
    }
    if is_anything_to_do() {
        wake_one();
    }
}

/// *fall asleep*, of the idle thread of seat `index`, which searches: `doze`, which says whether it was woken, and
/// `park`; or `stay_up` if there is something to do. `is_anything_to_do` is told whether the pool is full
/// without this thread, and then asked only for what is meant for it.
pub(crate) fn sleep_idle<'worker>(
    sleep: &Sleep,
    index: usize,
    everybody: impl ExactSizeIterator<Item = &'worker Attention>,
    is_anything_to_do: impl Fn(bool) -> bool,
    doze: impl FnOnce() -> bool,
    park: impl FnOnce(),
    stay_up: impl FnOnce(),
) {
    let counts = sleep.enter(index);
    let is_full = sleep.is_full(counts);
    let threads = everybody.len();
    if !is_full {
        raise(everybody);
    }
    // Pairs with the fence of a dispatcher that has put a job into a queue.
    fence(Ordering::SeqCst);
    if is_anything_to_do(is_full) && sleep.leave(index) {
        return stay_up();
    }
    // If the pool is full, a thread that makes it less so will look. If all are idle, none of them forks, and
    // one that begins to will look for sleepers when it stops searching.
    if !is_full && counts.sleeping() + counts.searching() < threads {
        if doze() {
            return;
        }
        // Pairs with LIGHT in a fork.
        heavy();
        if is_anything_to_do(sleep.is_full(sleep.counts())) && sleep.leave(index) {
            return stay_up();
        }
    }
    park();
}

/// *fall asleep*, of a thread that waits for `latch`, and is counted as one that searches if it `searches`: `doze`,
/// which says whether it was woken, and `park`. `None` if it stays up, because the latch is set or there is
/// something that it may do while it waits. If there is something for others, `hand_over` sees to it that one
/// of them does it.
pub(crate) fn sleep_waiting<'worker>(
    sleep: &Sleep,
    latch: &Latch,
    parker: &Parker,
    everybody: impl IntoIterator<Item = &'worker Attention>,
    is_mine_to_do: impl Fn() -> bool,
    hand_over: impl Fn(),
    searches: bool,
    doze: impl FnOnce() -> Option<Unparked>,
    park: impl FnOnce() -> Unparked,
) -> Option<Unparked> {
    // Before the latch: the thread that sets it counts us as active again.
    if searches {
        sleep.tally().block_searching();
    } else {
        sleep.tally().block();
    }
    let goes_on = || {
        sleep.tally().unblock();
        None
    };
    if !latch.fall_asleep(parker) {
        return goes_on();
    }
    raise(everybody);
    // Pairs with the fence in `start` and in `Latch::wake`, and with that of a worker that has put a job into
    // a queue.
    fence(Ordering::SeqCst);
    if is_mine_to_do() && latch.stay_up(parker) {
        return goes_on();
    }
    hand_over();
    if let Some(unparked) = doze() {
        return Some(unparked);
    }
    // Pairs with LIGHT in a fork.
    heavy();
    if is_mine_to_do() && latch.stay_up(parker) {
        return goes_on();
    }
    hand_over();
    Some(park())
}

/// *start a stolen child*, or come back to it: the caller has published its root. `is_awaited` says whether
/// a worker sleeps that waits for what the caller runs.
pub(crate) fn start(attention: &Attention, is_awaited: impl FnOnce() -> bool) {
    // Pairs with the fence in `sleep_below`: the waiting worker sees our root, or we see it asleep. It may
    // have raised our attention while we had another root, and we may have lowered it since.
    fence(Ordering::SeqCst);
    if is_awaited() {
        attention.raise();
    }
}

fn raise<'worker>(everybody: impl IntoIterator<Item = &'worker Attention>) {
    everybody.into_iter().for_each(Attention::raise_for_sleep);
}
