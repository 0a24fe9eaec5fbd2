//! What a worker does that has something to run.

use std::cmp::Reverse;

use filch_profile::Duration;

use super::Run;
use crate::machine::replay::deques::Item;
use crate::machine::replay::frames::{Awaits, Frame, NONE};
use crate::machine::replay::script::Op;
use crate::machine::replay::seats::Doing;

impl Run<'_> {
    /// The worker in seat `at` goes on with its newest frame, until it takes time while something
    /// else happens, waits, or has no frame left.
    pub(super) fn go_on(&mut self, at: usize) {
        self.seats[at].doing = Doing::Works;
        loop {
            let Some(top) = self.worker(at).top() else {
                self.run_dry(at);
                return;
            };
            let frame = self.frames.get_mut(top);
            let takes = if frame.syncs {
                if !self.sync(at, top) {
                    return;
                }
                0
            } else if frame.next == frame.end {
                self.end(at);
                0
            } else {
                let op = self.script.op(frame.next);
                frame.next += 1;
                self.step(at, top, op)
            };
            if takes == 0 {
                continue;
            }
            let until = self.now + takes;
            let next = self.events.peek();
            if next.is_some_and(|&Reverse((time, ..))| time <= until) {
                self.schedule(at, Doing::Works, until);
                return;
            }
            self.now = until;
        }
    }

    /// One step of the newest frame; returns how long it takes.
    fn step(&mut self, at: usize, top: u32, op: Op) -> u64 {
        let scope = self.frames.get(top).scope;
        match op {
            Op::Work(time) => time,
            Op::Join(first, second) => {
                let base = self.fork(at, second, top, scope);
                let frame = self.frames.get_mut(top);
                (frame.pending, frame.syncs, frame.base) = (1, true, base);
                self.begin(at, first, NONE, scope);
                self.fork
            }
            Op::Scope(body) => {
                let frame = self.frames.get_mut(top);
                (frame.pending, frame.syncs, frame.base) = (0, true, self.serial);
                self.begin(at, body, NONE, top);
                0
            }
            Op::Spawn(child) => {
                self.frames.get_mut(scope).pending += 1;
                self.fork(at, child, scope, scope);
                self.fork
            }
        }
    }

    /// The newest frame is at the end of a join or a scope. Returns whether there is something to
    /// go on with.
    fn sync(&mut self, at: usize, top: u32) -> bool {
        let frame = self.frames.get_mut(top);
        if frame.pending == 0 {
            frame.syncs = false;
            return true;
        }
        let base = frame.base;
        let newest = self.deques.newest(at);
        if newest.is_some_and(|newest| newest.serial >= base) {
            self.take_back(at);
            return true;
        }
        self.wait(at);
        false
    }

    /// The worker in seat `at` begins the newest task of its deque.
    fn take_back(&mut self, at: usize) {
        let item = self.deques.pop(at).expect("an item to take back");
        if item.root != NONE {
            self.roots.taken(item.root);
        }
        self.begin(at, item.task, item.target, item.scope);
    }

    /// The next item.
    pub(super) fn item(&mut self, task: u32, target: u32, scope: u32, root: u32) -> Item {
        let serial = self.serial;
        self.serial += 1;
        Item {
            task,
            target,
            scope,
            root,
            serial,
        }
    }

    /// The worker in seat `at` puts a task into its deque; returns the serial.
    fn fork(&mut self, at: usize, task: u32, target: u32, scope: u32) -> u64 {
        let stolen = self.worker(at).stolen.last();
        let &(root, _) = stolen.expect("what forks was stolen or entered");
        let item = self.item(task, target, scope, root);
        let serial = item.serial;
        self.deques.push(at, item);
        let mut told = std::mem::take(&mut self.told);
        self.roots.forks(root, at, |frame| told.push(frame));
        for frame in told.drain(..) {
            self.call_waiter(frame);
        }
        self.told = told;
        self.call_thieves();
        serial
    }

    /// The worker in seat `at` begins a task, on top of its stack.
    fn begin(&mut self, at: usize, task: u32, target: u32, scope: u32) {
        let worker = self.seats[at].worker;
        let stack = &mut self.workers[worker as usize];
        let root = stack.stolen.last().map_or(NONE, |&(root, _)| root);
        let frame = self.frames.add(Frame {
            next: self.script.begin(task),
            end: self.script.end(task),
            target,
            scope,
            pending: 0,
            syncs: false,
            base: 0,
            root,
            worker,
            entry: None,
        });
        stack.frames.push(frame);
    }

    /// The worker in seat `at` begins a task that it has taken from another deque.
    pub(super) fn begin_stolen(&mut self, at: usize, item: Item) {
        if item.root != NONE {
            self.roots.taken(item.root);
        }
        let above = self.frames.get(item.target).root;
        let root = self.roots.begin(item.target, above);
        let worker = self.seats[at].worker;
        let stack = &mut self.workers[worker as usize];
        stack.stolen.push((root, stack.frames.len() as u32));
        self.begin(at, item.task, item.target, item.scope);
    }

    /// The newest frame of the worker in seat `at` has ended.
    fn end(&mut self, at: usize) {
        let worker = self.seats[at].worker as usize;
        let number = self.workers[worker]
            .frames
            .pop()
            .expect("a frame that ends");
        let frame = self.frames.remove(number);
        let depth = self.workers[worker].frames.len() as u32;
        let stolen = self.workers[worker].stolen.last().copied();
        if let Some((root, under)) = stolen
            && under == depth
        {
            self.roots.left(root);
            // What the task has left in the deque for a scope further out comes first.
            let newest = self.deques.newest(at);
            if newest.is_some_and(|newest| newest.root == root) {
                self.take_back(at);
            } else {
                self.workers[worker].stolen.pop();
                self.roots.end(root);
            }
        }
        if frame.target != NONE {
            self.tell(frame.target);
        }
    }

    /// One of the tasks that a frame waits for has ended.
    fn tell(&mut self, number: u32) {
        let frame = self.frames.get_mut(number);
        frame.pending -= 1;
        if frame.pending > 0 || !frame.syncs {
            return;
        }
        match frame.entry {
            Some(awaits) => {
                self.frames.remove(number);
                self.under_way -= 1;
                self.totals.time = Duration::from_picos(self.now);
                if let Awaits::Caller(caller) = awaits {
                    self.caller_goes_on(caller as usize);
                }
            }
            None => self.wake_waiter(number),
        }
    }
}
