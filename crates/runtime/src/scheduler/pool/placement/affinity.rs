//! The processors on which Linux may run a thread.
#![allow(unsafe_code, reason = "the system is asked through libc")]

use crate::scheduler::process::ThreadId;

/// A processor, as the system numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Processor(usize);

impl Processor {
    /// That of the calling thread: a look at memory that the kernel keeps up to date.
    pub(super) fn current() -> Option<Self> {
        // SAFETY: it has no preconditions.
        let number = unsafe { libc::sched_getcpu() };
        let number = usize::try_from(number).ok()?;
        // A larger number does not fit into a mask.
        let fits = number < libc::CPU_SETSIZE as usize;
        fits.then_some(Self(number))
    }
}

/// The processors on which a thread may run.
#[derive(Clone, Copy)]
struct Mask(libc::cpu_set_t);

impl Mask {
    /// `None` if the system has more processors than fit into it, or the thread has ended.
    fn of(thread: ThreadId) -> Option<Self> {
        // SAFETY: the mask is an array of integers.
        let mut mask: libc::cpu_set_t = unsafe { core::mem::zeroed() };
        let (thread, size) = (number(thread)?, size_of_val(&mask));
        // SAFETY: the pointer is to a mask of that size.
        let result = unsafe { libc::sched_getaffinity(thread, size, &raw mut mask) };
        (result == 0).then_some(Self(mask))
    }

    fn all() -> Self {
        // SAFETY: the mask is an array of integers, of which every value is valid.
        let mut mask: libc::cpu_set_t = unsafe { core::mem::zeroed() };
        for processor in 0..libc::CPU_SETSIZE as usize {
            // SAFETY: the number is below the size of the mask.
            unsafe { libc::CPU_SET(processor, &mut mask) };
        }
        Self(mask)
    }

    /// `None` if it has no other processor, or not this one.
    fn without(mut self, processor: Processor) -> Option<Self> {
        // SAFETY: the number of a `Processor` is below the size of the mask.
        let had = unsafe { libc::CPU_ISSET(processor.0, &self.0) };
        // SAFETY: as above.
        unsafe { libc::CPU_CLR(processor.0, &mut self.0) };
        // SAFETY: it reads the bits of the mask.
        let others = unsafe { libc::CPU_COUNT(&self.0) };
        (had && others > 0).then_some(self)
    }

    /// Whether it became the mask of the thread.
    fn set_for(self, thread: ThreadId) -> bool {
        let Some(thread) = number(thread) else {
            return false;
        };
        // SAFETY: the pointer is to a mask of that size. The call changes where a thread of
        // this process runs, which no safe code relies on.
        unsafe { libc::sched_setaffinity(thread, size_of_val(&self.0), &raw const self.0) == 0 }
    }
}

impl PartialEq for Mask {
    fn eq(&self, other: &Self) -> bool {
        // SAFETY: it compares the bits of two masks.
        unsafe { libc::CPU_EQUAL(&self.0, &other.0) }
    }
}

/// The system would take 0, which stands for a thread that is not known, for the calling one.
fn number(thread: ThreadId) -> Option<libc::pid_t> {
    let number = libc::pid_t::try_from(thread.number()).ok()?;
    (number > 0).then_some(number)
}

/// Whether a seccomp filter applies to the calling thread. It may kill the process for changing a
/// mask, and nobody can ask it in advance.
pub(super) fn may_be_forbidden() -> bool {
    // SAFETY: it reads the state of the thread. Threads with names use `prctl` too.
    unsafe { libc::prctl(libc::PR_GET_SECCOMP) != 0 }
}

/// A sleeper that is not woken on the waking thread's processor.
pub(super) struct Directed {
    sleeper: ThreadId,
    before: Mask,
    since: Mask,
}

impl Directed {
    /// `None` if the thread has no other processor.
    pub(super) fn away_from(processor: Processor, sleeper: ThreadId) -> Option<Self> {
        let before = Mask::of(sleeper)?;
        let since = before.without(processor)?;
        since.set_for(sleeper).then_some(Self {
            sleeper,
            before,
            since,
        })
    }

    /// Called while the sleeper is in this pool, and by one thread.
    pub(super) fn undo(self) {
        let sleeper = self.sleeper;
        let is_unchanged = Mask::of(sleeper).is_some_and(|mask| mask == self.since);
        // Another thread or process has given it a mask meanwhile, which stays.
        if !is_unchanged {
            return;
        }
        // The mask is what the thread asked for, within what its control group allows. If it
        // asked for nothing, it should be allowed new processors of the group later on.
        let has_asked = !Mask::all().set_for(sleeper)
            || Mask::of(sleeper).is_some_and(|mask| mask != self.before);
        if has_asked {
            self.before.set_for(sleeper);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;
    use std::time::Duration;

    use super::super::Placement;
    use super::*;
    use crate::sync::atomic::Ordering;

    fn mask_of(thread: ThreadId) -> Mask {
        Mask::of(thread).expect("a mask is large enough here")
    }

    fn processors_in(mask: Mask) -> Vec<Processor> {
        let all = (0..libc::CPU_SETSIZE as usize).map(Processor);
        // SAFETY: the number of a `Processor` is below the size of the mask.
        all.filter(|processor| unsafe { libc::CPU_ISSET(processor.0, &mask.0) })
            .collect()
    }

    /// A thread that sleeps until it gets something to undo, and then tells its mask.
    fn with_sleeper(
        check: impl FnOnce(ThreadId, Sender<Directed>, Receiver<Mask>) + Send + 'static,
    ) {
        let ((tell, told), (answer, answered)) = (channel::<Directed>(), channel());
        let (publish, published) = channel();
        let sleeper = thread::spawn(move || {
            let this = ThreadId::current();
            publish.send(this).unwrap();
            for directed in told {
                directed.undo();
                answer.send(mask_of(this)).unwrap();
            }
        });
        check(published.recv().unwrap(), tell, answered);
        sleeper.join().unwrap();
    }

    #[test]
    fn a_sleeper_gets_its_mask_back() {
        with_sleeper(|sleeper, tell, answered| {
            let before = mask_of(sleeper);
            for processor in processors_in(before) {
                let Some(directed) = Directed::away_from(processor, sleeper) else {
                    assert_eq!(processors_in(before).len(), 1);
                    return;
                };
                let without = before.without(processor).unwrap();
                assert!(mask_of(sleeper) == without);
                tell.send(directed).unwrap();
                assert!(answered.recv().unwrap() == before);
            }
        });
    }

    #[test]
    fn a_sleeper_gets_its_mask_back_while_it_sleeps() {
        with_sleeper(|sleeper, _, _| {
            let before = mask_of(sleeper);
            for processor in processors_in(before) {
                if let Some(directed) = Directed::away_from(processor, sleeper) {
                    assert!(mask_of(sleeper) != before);
                    directed.undo();
                    assert!(mask_of(sleeper) == before);
                }
            }
        });
    }

    /// With three processors or more, so does one that may not use all of them.
    #[test]
    fn a_sleeper_keeps_to_what_it_asked_for() {
        with_sleeper(|sleeper, tell, answered| {
            let all = mask_of(sleeper);
            let first = processors_in(all)[0];
            let Some(asked) = all.without(first) else {
                return;
            };
            assert!(asked.set_for(sleeper));
            for processor in processors_in(all) {
                if let Some(directed) = Directed::away_from(processor, sleeper) {
                    tell.send(directed).unwrap();
                    assert!(answered.recv().unwrap() == asked);
                } else {
                    assert!(asked.without(processor).is_none());
                    assert!(mask_of(sleeper) == asked);
                }
            }
        });
    }

    #[test]
    fn a_mask_that_was_set_meanwhile_stays() {
        with_sleeper(|sleeper, tell, answered| {
            let all = mask_of(sleeper);
            let first = processors_in(all)[0];
            let Some(directed) = Directed::away_from(first, sleeper) else {
                return;
            };
            let others = processors_in(all.without(first).unwrap());
            let only_first = others
                .into_iter()
                .fold(all, |mask, other| mask.without(other).unwrap());
            assert!(only_first.set_for(sleeper));
            tell.send(directed).unwrap();
            assert!(answered.recv().unwrap() == only_first);
        });
    }

    #[test]
    fn a_thread_that_is_not_known_is_not_directed() {
        let here = Processor::current().unwrap();
        let before = mask_of(ThreadId::current());
        assert!(Directed::away_from(here, ThreadId::from_number(0)).is_none());
        assert!(mask_of(ThreadId::current()) == before);
    }

    /// Lets each later attempt of the calling thread to change a mask "succeed", and change
    /// nothing. False if the system has no filters.
    fn ignore_changes_of_masks() -> bool {
        let step = |code: u32, jump, k| libc::sock_filter {
            code: u16::try_from(code).unwrap(),
            jt: 0,
            jf: jump,
            k,
        };
        let number = u32::try_from(libc::SYS_sched_setaffinity).unwrap();
        let mut steps = [
            // The number of the call comes first.
            step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
            step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, number),
            step(libc::BPF_RET, 0, libc::SECCOMP_RET_ERRNO),
            step(libc::BPF_RET, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let filter = libc::sock_fprog {
            len: u16::try_from(steps.len()).unwrap(),
            filter: steps.as_mut_ptr(),
        };
        let (yes, none): (libc::c_ulong, libc::c_ulong) = (1, 0);
        let mode = libc::c_ulong::from(libc::SECCOMP_MODE_FILTER);
        // SAFETY: no pointers are passed.
        let promised = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, yes, none, none, none) };
        // SAFETY: the filter lives until the system has copied it.
        let set = || unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter) };
        promised == 0 && set() == 0
    }

    /// A filter may kill the process for it.
    #[test]
    fn a_thread_with_a_filter_directs_only_if_the_program_says_so() {
        with_sleeper(|sleeper, _, _| {
            let is_directed = move |directs| {
                let placement = Placement::new(directs);
                placement.next.store(1, Ordering::Relaxed);
                placement.begin(sleeper).unwrap().is_directed
            };
            let waking = thread::spawn(move || {
                if processors_in(mask_of(sleeper)).len() > 1 && ignore_changes_of_masks() {
                    assert!(is_directed(Some(true)));
                    assert!(!is_directed(None));
                }
            });
            waking.join().unwrap();
        });
    }

    /// In a pool whose wake-ups are all directed.
    #[test]
    fn workers_keep_their_masks() {
        let builder = crate::Pool::builder().threads(2);
        let pool = builder.directed_wake_ups(true).build().unwrap();
        let next = &pool.shared.placement.next;
        let masks = || pool.broadcast(|_| processors_in(mask_of(ThreadId::current())));
        let before = masks();
        if before[0].len() < 2 {
            return;
        }
        for left in (0..10).rev() {
            next.store(left + 1, Ordering::Relaxed);
            // Both workers sleep soon, and the one that is woken comes beside the caller.
            while next.load(Ordering::Relaxed) > left {
                thread::sleep(Duration::from_millis(1));
                let leaf = || thread::sleep(Duration::from_micros(100));
                pool.scope(|_| crate::join(leaf, leaf));
            }
            assert_eq!(masks(), before);
        }
    }
}
