//! Channels that block their threads, sections one after another.

use std::sync::mpsc::{SyncSender, sync_channel};

use rayon::prelude::*;

const SECTIONS: usize = 500;
const ITEMS: u64 = 500;

fn send_all(send: &SyncSender<u64>) {
    (0..ITEMS).for_each(|item| send.send(item).expect("it is read"));
}

/// With one thread none of the programs would end.
fn sections(section: impl Fn() + Sync) {
    if rayon::current_num_threads() > 1 {
        (0..SECTIONS).for_each(|_| rayon::scope(|_| section()));
    }
}

/// A spawned producer, and a bridge that reads.
pub(crate) fn bridge() {
    sections(|| {
        let (send, receive) = sync_channel(8);
        rayon::spawn(move || send_all(&send));
        let sum: u64 = receive.into_iter().par_bridge().sum();
        assert_eq!(sum, ITEMS * (ITEMS - 1) / 2);
    });
}

/// Across a join.
pub(crate) fn join() {
    sections(|| {
        let (send, receive) = sync_channel(8);
        let (_, sum) = rayon::join(
            move || send_all(&send),
            move || receive.into_iter().sum::<u64>(),
        );
        assert_eq!(sum, ITEMS * (ITEMS - 1) / 2);
    });
}

/// Across a scope.
pub(crate) fn scope() {
    sections(|| {
        let (send, receive) = sync_channel(8);
        rayon::scope(|s| {
            s.spawn(move |_| send_all(&send));
            s.spawn(move |_| assert_eq!(receive.into_iter().count() as u64, ITEMS));
        });
    });
}
