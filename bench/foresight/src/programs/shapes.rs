//! Computations whose work and span follow from their leaves.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use filch::{join, scope};

use super::{Leaf, Taken};

/// The double recursion, with leaves that take `time`.
pub(super) fn fib(n: u32, leaf: Leaf, time: Duration) -> Taken {
    if n < 2 {
        return leaf.run(time);
    }
    Taken::beside(join(|| fib(n - 1, leaf, time), || fib(n - 2, leaf, time)))
}

/// The double recursion that does nothing else.
pub(super) fn plain_fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = join(|| plain_fib(n - 1), || plain_fib(n - 2));
    a + b
}

/// One join after the other, with a strand of half the time between them.
pub(super) fn chain(length: u32, leaf: Leaf, time: Duration) -> Taken {
    (0..length).fold(Taken::default(), |taken, _| {
        let both = Taken::beside(join(|| leaf.run(time), || leaf.run(time)));
        taken.then(both).then(leaf.run(time / 2))
    })
}

/// A full binary tree.
pub(super) fn tree(depth: u32, leaf: Leaf, time: Duration) -> Taken {
    if depth == 0 {
        return leaf.run(time);
    }
    let below = || tree(depth - 1, leaf, time);
    Taken::beside(join(below, below))
}

/// A tree over leaves that take one to nine times `time`.
pub(super) fn uneven(from: u32, to: u32, leaf: Leaf, time: Duration) -> Taken {
    if to - from == 1 {
        return leaf.run(time * weight(from));
    }
    let middle = from.midpoint(to);
    Taken::beside(join(
        || uneven(from, middle, leaf, time),
        || uneven(middle, to, leaf, time),
    ))
}

/// Between 1 and 9, without a pattern that the tree would follow.
fn weight(number: u32) -> u32 {
    1 + number.wrapping_mul(2_654_435_761) % 997 % 9
}

/// Children of one scope.
pub(super) fn spawns(children: u32, leaf: Leaf, time: Duration) -> Taken {
    let all = Mutex::new(Taken::default());
    scope(|scope| {
        for _ in 0..children {
            scope.spawn(|_| {
                let taken = leaf.run(time);
                let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                *all = Taken::beside((*all, taken));
            });
        }
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}
