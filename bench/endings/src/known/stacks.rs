//! Tasks that wait, and start other tasks meanwhile, until the stack overflows.

use std::hint::black_box;

use rayon::ThreadPoolBuilder;

use super::locks::{inner, tasks};

pub(super) fn tasks_pile_up(threads: usize) {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    // Room for six tasks. One at a time lies on the stack of a serial program.
    let pool = builder.stack_size(1 << 20).build();
    tasks(&pool.expect("the system gives threads"), 400, &|_| {
        let frame = black_box([1_u8; 160 << 10]);
        assert_eq!(inner(), 120);
        black_box(&frame);
    });
}
