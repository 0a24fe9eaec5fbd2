//! The processors on which Linux may run a thread.
#![allow(unsafe_code, reason = "the system is asked through libc")]

use std::io;

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

    /// All that fit into a mask.
    fn all() -> impl Iterator<Item = Self> {
        (0..libc::CPU_SETSIZE as usize).map(Self)
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
        type Bytes = [u8; size_of::<libc::cpu_set_t>()];
        let bytes = [u8::MAX; size_of::<Bytes>()];
        // SAFETY: the mask is an array of integers, of which every value is valid.
        Self(unsafe { core::mem::transmute::<Bytes, libc::cpu_set_t>(bytes) })
    }

    fn has(&self, processor: Processor) -> bool {
        // SAFETY: the number of a `Processor` is below the size of the mask.
        unsafe { libc::CPU_ISSET(processor.0, &self.0) }
    }

    fn remove(&mut self, processor: Processor) {
        // SAFETY: as for `has`.
        unsafe { libc::CPU_CLR(processor.0, &mut self.0) };
    }

    fn is_empty(&self) -> bool {
        // SAFETY: it reads the bits of the mask.
        unsafe { libc::CPU_COUNT(&self.0) == 0 }
    }

    /// `None` if it has no other processor, or not this one.
    fn without(mut self, processor: Processor) -> Option<Self> {
        let had = self.has(processor);
        self.remove(processor);
        (had && !self.is_empty()).then_some(self)
    }

    /// What the system makes of it if it allows the thread these processors: all of them, if the
    /// thread asked for none of them.
    fn within(mut self, allowed: Self) -> Self {
        for processor in Processor::all() {
            if !allowed.has(processor) {
                self.remove(processor);
            }
        }
        if self.is_empty() { allowed } else { self }
    }

    /// Whether it became the mask of the thread.
    fn set_for(self, thread: ThreadId) -> bool {
        let Some(thread) = number(thread) else {
            return false;
        };
        let attempt = || {
            // SAFETY: the pointer is to a mask of that size. The call changes where a thread of
            // this process runs, which no safe code relies on.
            unsafe { libc::sched_setaffinity(thread, size_of_val(&self.0), &raw const self.0) == 0 }
        };
        // The mask is not valid if the thread's control group has none of its processors, but also
        // if the group is changed at this very moment.
        let is_invalid = || io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL);
        attempt() || (0..2).any(|_| is_invalid() && attempt())
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
/// mask, and a thread cannot find out in advance whether it does.
pub(super) fn may_be_forbidden() -> bool {
    // SAFETY: it reads the state of the thread. Threads with names use `prctl` too.
    unsafe { libc::prctl(libc::PR_GET_SECCOMP) != 0 }
}

/// A sleeper that is not woken on the waking thread's processor.
///
/// Its mask is what it asked for, within what its control group allows and the machine has, and
/// that may change at any time. If it asked for nothing it may run wherever the group allows, also
/// on processors that are added later on. So it asks for all of them again in the end. The system
/// does not tell what a thread asked for, but only its mask.
pub(super) struct Directed {
    sleeper: ThreadId,
    /// What the sleeper asked for, as far as its mask told.
    before: Mask,
    /// What we asked for on its behalf.
    since: Mask,
    /// Its mask, when we had done so.
    seen: Mask,
}

impl Directed {
    /// `None` if the thread has no other processor.
    pub(super) fn away_from(processor: Processor, sleeper: ThreadId) -> Option<Self> {
        let (mask, all) = (Mask::of(sleeper)?, Mask::all());
        let (seen, others) = (mask.without(processor)?, all.without(processor)?);
        if !others.set_for(sleeper) {
            return None;
        }
        // It has more processors then. Otherwise its mask was changed at this very moment, which
        // `undo` looks at.
        let has_more = |others: Mask| others != seen && seen.within(others) == seen;
        let has_asked = Mask::of(sleeper).is_some_and(has_more);
        let (before, since) = if has_asked {
            seen.set_for(sleeper);
            (mask, seen)
        } else {
            (all, others)
        };
        Some(Self {
            sleeper,
            before,
            since,
            seen,
        })
    }

    /// Called while the sleeper is in this pool, and by one thread.
    pub(super) fn undo(self) {
        let sleeper = self.sleeper;
        let Some(mask) = Mask::of(sleeper) else {
            return;
        };
        let is_ours = mask == self.seen || {
            // Another thread or process has given it a mask meanwhile, which stays.
            if self.since.within(mask) != mask {
                return;
            }
            // That is still possible, but so is that the group or the machine has other processors
            // now. What they leave of our mask must not stay.
            let is_set = Mask::all().set_for(sleeper);
            let allowed = is_set.then(|| Mask::of(sleeper)).flatten();
            allowed.is_some_and(|allowed| self.since.within(allowed) == mask)
        };
        let after = if is_ours { self.before } else { mask };
        after.set_for(sleeper);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
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
        Processor::all()
            .filter(|&processor| mask.has(processor))
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

    /// A control group for one thread, below the first of all.
    struct Group {
        path: PathBuf,
        member: ThreadId,
    }

    impl Group {
        /// `None` without the right to make one, or with cgroups of version 2 only.
        fn of(member: ThreadId) -> Option<Self> {
            let root = Path::new("/sys/fs/cgroup/cpuset");
            let path = root.join(format!("filch-test-{}", member.number()));
            fs::create_dir(&path).ok()?;
            let group = Self { path, member };
            let memory = fs::read_to_string(root.join("cpuset.mems")).ok()?;
            group.write("cpuset.mems", &memory)?;
            group.allow(mask_of(member))?;
            group.write("tasks", &member.number().to_string())?;
            Some(group)
        }

        fn write(&self, file: &str, text: &str) -> Option<()> {
            fs::write(self.path.join(file), text).ok()
        }

        fn allow(&self, mask: Mask) -> Option<()> {
            let numbers = processors_in(mask).into_iter();
            let list: Vec<String> = numbers.map(|processor| processor.0.to_string()).collect();
            self.write("cpuset.cpus", &list.join(","))
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            let parent = self.path.with_file_name("tasks");
            let _moved = fs::write(parent, self.member.number().to_string());
            let _removed = fs::remove_dir(&self.path);
        }
    }

    /// The system leaves it what its group has in common with the changed mask, or all that the
    /// group has.
    #[test]
    fn a_sleeper_whose_group_loses_processors_gets_them_back_with_its_group() {
        with_sleeper(|sleeper, tell, answered| {
            let all = mask_of(sleeper);
            let first = processors_in(all)[0];
            let (Some(group), Some(others)) = (Group::of(sleeper), all.without(first)) else {
                return;
            };
            for last in processors_in(all) {
                let rest = processors_in(all).into_iter();
                let only_last = rest
                    .filter(|&processor| processor != last)
                    .fold(all, |mask, other| mask.without(other).unwrap());
                let directed = Directed::away_from(first, sleeper).unwrap();
                assert!(mask_of(sleeper) == others);
                group.allow(only_last).unwrap();
                tell.send(directed).unwrap();
                assert!(answered.recv().unwrap() == only_last);
                group.allow(all).unwrap();
                assert!(mask_of(sleeper) == all);
            }
        });
    }

    #[test]
    fn a_mask_is_cut_down_to_what_is_allowed() {
        let first = |count| {
            let surplus = Processor::all().skip(count);
            surplus.fold(Mask::all(), |mask, other| mask.without(other).unwrap())
        };
        let (zero, three) = (Processor(0), first(3));
        let later = three.without(zero).unwrap();
        let middle = first(2).without(zero).unwrap();
        assert!(Mask::all().within(three) == three);
        assert!(later.within(first(2)) == middle);
        assert!(later.within(first(1)) == first(1), "nothing in common");
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
