//! The deques of the seats, and the queue of what callers enter.

use std::collections::VecDeque;

use filch_random::Stream;
use rand::RngExt;

/// A task that has been forked and has not begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) task: u32,
    /// The frame that is told when it ends.
    pub(super) target: u32,
    /// The innermost scope around it.
    pub(super) scope: u32,
    /// The stolen task whose frames forked it.
    pub(super) root: u32,
    /// Grows with every fork of the run.
    pub(super) serial: u64,
}

/// A deque for each seat, and behind them the queue of entries.
#[derive(Debug)]
pub(super) struct Deques {
    deques: Vec<VecDeque<Item>>,
    /// Those that have something, in no order, and where each of them is in that list.
    filled: Vec<u32>,
    places: Vec<u32>,
    /// How many items there are in all of them.
    pub(super) items: usize,
}

impl Deques {
    pub(super) fn new(seats: usize) -> Self {
        Self {
            deques: vec![VecDeque::new(); seats + 1],
            filled: Vec::new(),
            places: vec![0; seats + 1],
            items: 0,
        }
    }

    /// The number of the queue of entries.
    pub(super) fn entries(&self) -> usize {
        self.deques.len() - 1
    }

    pub(super) fn push(&mut self, at: usize, item: Item) {
        self.items += 1;
        self.deques[at].push_back(item);
        if self.deques[at].len() == 1 {
            self.places[at] = self.filled.len() as u32;
            self.filled.push(at as u32);
        }
    }

    /// The newest item of a deque.
    pub(super) fn newest(&self, at: usize) -> Option<&Item> {
        self.deques[at].back()
    }

    /// The oldest item of a deque.
    pub(super) fn oldest(&self, at: usize) -> Option<&Item> {
        self.deques[at].front()
    }

    /// The owner takes the newest item.
    pub(super) fn pop(&mut self, at: usize) -> Option<Item> {
        let item = self.deques[at].pop_back()?;
        self.taken(at);
        Some(item)
    }

    /// A thief takes the oldest item.
    pub(super) fn steal(&mut self, at: usize) -> Option<Item> {
        let item = self.deques[at].pop_front()?;
        self.taken(at);
        Some(item)
    }

    fn taken(&mut self, at: usize) {
        self.items -= 1;
        if self.deques[at].is_empty() {
            let place = self.places[at] as usize;
            self.filled.swap_remove(place);
            if let Some(&moved) = self.filled.get(place) {
                self.places[moved as usize] = place as u32;
            }
        }
    }

    /// A random one of the deques that have something.
    pub(super) fn any(&self, victims: &mut Stream) -> Option<usize> {
        match self.filled[..] {
            [] => None,
            [only] => Some(only as usize),
            _ => Some(self.filled[victims.random_range(0..self.filled.len())] as usize),
        }
    }
}
