//! A replay, event by event.

mod strands;
mod thieves;
mod waits;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use filch_random::Stream;

use super::callers::{Caller, Progress};
use super::deques::Deques;
use super::frames::{Awaits, Frame, Frames, NONE};
use super::roots::Roots;
use super::script::Script;
use super::seats::{Doing, Seat, Worker};
use super::{Replay, Replayed};

/// When something happens, in which order if several things happen at once, where, and to which
/// version of the seat. A place after the last seat is a caller.
type Event = Reverse<(u64, u64, u32, u32)>;

pub(super) struct Run<'a> {
    script: &'a Script,
    most_workers: usize,
    fork: u64,
    steal: u64,
    wake: u64,
    search: u64,
    patience: u64,
    start: u64,
    now: u64,
    events: BinaryHeap<Event>,
    /// How many events there have been.
    scheduled: u64,
    seats: Vec<Seat>,
    workers: Vec<Worker>,
    /// Workers without frames and without a seat.
    spare: Vec<u32>,
    frames: Frames,
    deques: Deques,
    roots: Roots,
    /// The serial of the next fork.
    serial: u64,
    /// Seats whose workers have neither a frame nor a task to come to, the newest last.
    idle: Vec<u32>,
    /// Seats whose workers sleep while a frame of theirs waits; some no longer do.
    asleep: Vec<u32>,
    /// How many workers are on their way to a task.
    coming: usize,
    /// Workers whose newest frame can go on and that have no seat.
    ready: VecDeque<u32>,
    callers: Vec<Progress<'a>>,
    /// How many entries have begun and not ended.
    under_way: usize,
    victims: Stream,
    /// Frames below which there is something new.
    told: Vec<u32>,
    totals: Replayed,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        replay: &Replay,
        script: &'a Script,
        callers: &'a [Caller],
        victims: Stream,
    ) -> Self {
        let prices = &replay.prices;
        let search = prices.search.picos();
        let seats = replay.processors as u32;
        let seat = |worker| Seat {
            worker,
            doing: Doing::Idles,
            awake_until: if replay.rested { 0 } else { search },
            version: 0,
        };
        let worker = |seat| Worker {
            seat: Some(seat),
            ..Worker::default()
        };
        Self {
            script,
            most_workers: replay.workers.max(replay.processors),
            fork: prices.fork.picos(),
            steal: prices.steal.picos(),
            wake: prices.wake.picos(),
            search,
            patience: prices.patience.picos(),
            start: prices.start.picos(),
            now: 0,
            events: BinaryHeap::new(),
            scheduled: 0,
            seats: (0..seats).map(seat).collect(),
            workers: (0..seats).map(worker).collect(),
            spare: Vec::new(),
            frames: Frames::default(),
            deques: Deques::new(replay.processors),
            roots: Roots::default(),
            serial: 0,
            idle: (0..seats).rev().collect(),
            asleep: Vec::new(),
            coming: 0,
            ready: VecDeque::new(),
            callers: callers.iter().map(Progress::of).collect(),
            under_way: 0,
            victims,
            told: Vec::new(),
            totals: Replayed::default(),
        }
    }

    pub(super) fn run(mut self) -> Replayed {
        for caller in 0..self.callers.len() {
            self.caller_goes_on(caller);
        }
        loop {
            while let Some(Reverse((time, _, place, version))) = self.events.pop() {
                self.happens(time, place as usize, version);
            }
            if self.under_way == 0 {
                break;
            }
            self.unblock();
        }
        self.totals.workers = self.workers.len() as u64;
        self.totals
    }

    fn happens(&mut self, time: u64, place: usize, version: u32) {
        let Some(seat) = self.seats.get(place) else {
            self.now = time;
            self.enter(place - self.seats.len());
            return;
        };
        if seat.version != version {
            return;
        }
        self.now = time;
        match seat.doing {
            Doing::Works => self.go_on(place),
            Doing::Comes => {
                self.cancel(place, Doing::Works);
                self.arrive(place);
            }
            Doing::Waits => self.fall_asleep(place),
            Doing::Idles | Doing::Sleeps => unreachable!("nothing was scheduled for it"),
        }
    }

    /// The worker in a seat does this until `time`.
    fn schedule(&mut self, at: usize, doing: Doing, time: u64) {
        let seat = &mut self.seats[at];
        seat.doing = doing;
        seat.version = seat.version.wrapping_add(1);
        let event = (time, self.scheduled, at as u32, seat.version);
        self.events.push(Reverse(event));
        self.scheduled += 1;
    }

    /// What was scheduled for a seat does not happen.
    fn cancel(&mut self, at: usize, doing: Doing) {
        let seat = &mut self.seats[at];
        if seat.doing == Doing::Comes {
            self.coming -= 1;
        }
        seat.doing = doing;
        seat.version = seat.version.wrapping_add(1);
    }

    /// A caller runs on until its next entry.
    fn caller_goes_on(&mut self, caller: usize) {
        if let Some(after) = self.callers[caller].until_next() {
            let place = (self.seats.len() + caller) as u32;
            let event = (self.now + after, self.scheduled, place, 0);
            self.events.push(Reverse(event));
            self.scheduled += 1;
        }
    }

    /// A caller enters. A worker that is idle begins at once: the caller sits down in its place.
    fn enter(&mut self, caller: usize) {
        let entry = self.callers[caller].enter();
        let awaits = if entry.is_awaited {
            Awaits::Caller(caller as u32)
        } else {
            Awaits::NoCaller
        };
        let gate = self.frames.add(Frame {
            next: 0,
            end: 0,
            target: NONE,
            scope: NONE,
            pending: 1,
            syncs: true,
            base: 0,
            root: NONE,
            worker: NONE,
            entry: Some(awaits),
        });
        self.under_way += 1;
        let item = self.item(entry.root.0, gate, gate, NONE);
        if let Some(at) = self.idle.pop() {
            self.begin_stolen(at as usize, item);
            self.schedule(at as usize, Doing::Works, self.now);
        } else {
            let queue = self.deques.entries();
            self.deques.push(queue, item);
            self.call_thieves();
        }
        if !entry.is_awaited {
            self.caller_goes_on(caller);
        }
    }

    /// The worker in seat `at` gives it to `worker`, which is awake at `time`.
    fn reseat(&mut self, at: usize, worker: u32, doing: Doing, time: u64) {
        let before = self.seats[at].worker;
        self.workers[before as usize].seat = None;
        if self.workers[before as usize].top().is_none() {
            self.spare.push(before);
        }
        self.workers[worker as usize].seat = Some(at as u32);
        self.seats[at].worker = worker;
        self.schedule(at, doing, time);
    }

    fn worker(&self, at: usize) -> &Worker {
        &self.workers[self.seats[at].worker as usize]
    }
}
