//! What forks that are counted take beyond forks that are not recorded, by joins of both kinds on a
//! deque of no pool.

use core::cell::Cell;
use std::hint::black_box;

use filch_deque::{Bottom, Owner, Thief, deque};
use filch_profile::Kind;

use super::clock::{Ticks, now};
use super::coarse::Coarse;
use super::counted::Forker;
use super::join::JoinRecord;
use super::root::Origin;
use super::site::SiteKey;
use super::task::Summary;
use crate::scheduler::job::JobHead;
use crate::scheduler::worker::{Closures, join_at, join_recorded};

/// How many forks a trial has: those of fib([`DEPTH`]).
pub(super) const FORKS: u32 = 986;
const DEPTH: u32 = 15;
/// The shortest trial of each kind counts.
const TRIALS: u32 = 100;

thread_local! {
    /// No thief takes anything from it. As in a program, each join finds its deque through the
    /// thread, by one reading of memory.
    static DEQUE: Cell<Option<&'static Bottom<JobHead>>> = const { Cell::new(None) };
}

/// What trials fork into: made once, for as long as the process runs.
fn open_deque() {
    let ends: &'static (Owner<JobHead>, Thief<JobHead>) = Box::leak(Box::new(deque()));
    DEQUE.set(Some(&ends.0));
}

/// How long [`FORKS`] forks take, with the calls that fork nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trial {
    /// If they are counted.
    pub(super) counted: Ticks,
    /// If they are not recorded.
    pub(super) plain: Ticks,
}

pub(super) fn run() -> Trial {
    let key = SiteKey::of::<Site>(Kind::Join).hash;
    open_deque();
    let (mut counted, mut plain) = (Ticks::MAX, Ticks::MAX);
    for _ in 0..TRIALS {
        let coarse = Coarse::begin(key, Forker::NONE, FORKS.into());
        counted = counted.min(timed(counting_fib));
        let _forks = coarse.end();
        plain = plain.min(timed(plain_fib));
    }
    Trial { counted, plain }
}

fn timed(fib: fn(u32) -> u64) -> Ticks {
    let began = now();
    let _ = black_box(fib(black_box(DEPTH)));
    now().saturating_sub(began)
}

/// The site whose forks are counted.
struct Site;

// Both functions are as a program's own would be: what a join adds to the calls that do not fork
// counts too.
#[inline(never)]
fn counting_fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let closures = both(|| counting_fib(n - 1), || counting_fib(n - 2));
    let (a, b) = join_at::<Site, _, _, _, _, _, _, _>(DEQUE.get(), closures);
    a + b
}

#[inline(never)]
fn plain_fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let closures = both(|| plain_fib(n - 1), || plain_fib(n - 2));
    let (a, b) = join_recorded(DEQUE.get(), closures, Unrecorded);
    a + b
}

/// Two closures, as [`join`](crate::join) passes them on.
#[expect(clippy::type_complexity, reason = "a closure has no shorter type")]
#[inline(always)]
fn both<A, B>(
    a: A,
    b: B,
) -> Closures<
    A,
    B,
    impl FnOnce(A) -> u64 + Send,
    impl FnOnce(B, bool) -> u64 + Send,
    impl FnOnce(A, B) -> (u64, u64),
>
where
    A: FnOnce() -> u64 + Send,
    B: FnOnce() -> u64 + Send,
{
    Closures {
        a,
        b,
        call_a: |a: A| a(),
        call_b: |b: B, _| b(),
        outside: |a, b| without_deque(&mut Some((a, b))),
    }
}

#[cold]
#[inline(never)]
fn without_deque<A, B>(closures: &mut Option<(A, B)>) -> (u64, u64)
where
    A: FnOnce() -> u64,
    B: FnOnce() -> u64,
{
    let (a, b) = closures.take().expect("the caller has both");
    (a(), b())
}

/// A join that is not recorded.
#[derive(Clone, Copy)]
struct Unrecorded;

impl JoinRecord for Unrecorded {
    type Origin = Self;

    #[inline(always)]
    fn origin(&self) -> Self {
        Self
    }

    #[inline(always)]
    fn first_ended(&mut self) {}

    #[inline(always)]
    fn end(self) {}

    fn end_stolen(self, _: Summary) {}
}

impl From<Unrecorded> for Origin {
    fn from(_: Unrecorded) -> Self {
        Self::NONE
    }
}
