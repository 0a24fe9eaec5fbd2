//! Sections that block a thread of the first pool.

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::program::{Blocking, leaf};
use super::run::compute;

pub(super) fn value(form: Blocking, items: u32, pool: &ThreadPool) -> u64 {
    match form {
        Blocking::BridgeInside => pool.install(|| {
            let receive = producer(items, rayon::spawn);
            receive.into_iter().par_bridge().sum()
        }),
        Blocking::BridgeOutside => {
            let receive = producer(items, |job| pool.spawn(job));
            pool.install(|| receive.into_iter().par_bridge().sum())
        }
        Blocking::Join => {
            let (send, receive) = sync_channel(3);
            pool.join(move || send_all(items, &send), move || receive.iter().sum())
                .1
        }
        Blocking::Scope => {
            let (send, receive) = sync_channel(3);
            let mut sum = 0;
            pool.scope(|s| {
                s.spawn(move |_| send_all(items, &send));
                s.spawn(|_| sum = receive.into_iter().sum());
            });
            sum
        }
        Blocking::AfterJoin => pool.install(|| {
            let (send, receive) = channel();
            let job = move || send.send(compute(items)).expect("it is read");
            rayon::join(|| rayon::spawn(job), || ());
            receive.recv().unwrap_or_else(|_| leaf(0))
        }),
    }
}

fn producer(items: u32, spawn: impl FnOnce(Job)) -> Receiver<u64> {
    let (send, receive) = sync_channel(3);
    spawn(Box::new(move || send_all(items, &send)));
    receive
}

type Job = Box<dyn FnOnce() + Send>;

fn send_all(items: u32, send: &SyncSender<u64>) {
    for item in 0..u64::from(items) {
        send.send(item).expect("it is read");
    }
}
