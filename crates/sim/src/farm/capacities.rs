use filch_random::{Seed, Stream};
use filch_workload::streams::CAPACITY;
use filch_workload::{CapacityLaw, CapacitySampler, Serve};

use super::servers::Servers;
use super::service::padded;

/// The capacities of all servers, drawn for some slots at a time.
///
/// Each class has a stream of its own, from which its servers draw in turn, slot by slot. So the
/// capacity of server i in slot t depends on the seed, the class, i and t. It does not depend on
/// the policy or the load.
#[derive(Clone, Debug)]
pub struct Capacities<S = CapacitySampler> {
    classes: Vec<(usize, S, Stream)>,
    servers: usize,
    lanes: usize,
    /// Slot by slot, one number for each server and padding.
    drawn: Vec<u32>,
}

/// Capacities drawn at a time: they should fit into the first-level cache beside the queues.
const AT_A_TIME: usize = 1 << 13;

impl<S: Serve> Capacities<S> {
    /// For the servers of a farm, in one replication.
    pub fn of<C>(servers: &Servers<C>, seed: Seed, replication: u64) -> Self
    where
        C: CapacityLaw<Sampler = S>,
    {
        let class = |(at, class): (usize, &super::Class<C>)| {
            let stream = seed.stream(CAPACITY, replication, at as u64);
            (class.count, class.capacity.sampler(), stream)
        };
        let classes = servers.classes().iter().enumerate().map(class);
        Self {
            classes: classes.collect(),
            servers: servers.count(),
            lanes: padded(servers.count()),
            drawn: Vec::new(),
        }
    }

    /// The number of slots to draw at a time that suits the cache.
    pub fn convenient(&self) -> usize {
        (AT_A_TIME / self.lanes).max(1)
    }

    /// Draws for the next `slots` slots.
    pub fn draw(&mut self, slots: usize) {
        self.drawn.resize(slots * self.lanes, 0);
        for slot in self.drawn.chunks_exact_mut(self.lanes) {
            let mut rest = &mut *slot;
            for (count, sampler, stream) in &mut self.classes {
                let class;
                (class, rest) = rest.split_at_mut(*count);
                sampler.fill(stream, class);
            }
            // No queue is as long, so every server serves the same jobs (see `service.rs`).
            for capacity in &mut slot[..self.servers] {
                *capacity = (*capacity).min(i32::MAX as u32);
            }
        }
    }

    /// The capacities of a slot that was drawn, server by server, followed by padding.
    #[inline]
    pub fn slot(&self, at: usize) -> &[u32] {
        &self.drawn[at * self.lanes..][..self.lanes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::farm::Class;

    #[test]
    fn the_same_however_many_are_drawn_at_a_time() {
        let servers = Servers::of(vec![
            Class::new("slow", 3, "uniform:1".parse().unwrap()),
            Class::new("fast", 20, "uniform:10".parse().unwrap()),
            Class::new("huge", 1, "constant:4294967295".parse().unwrap()),
        ])
        .unwrap();
        let draw = |sizes: &[usize]| {
            let mut capacities = Capacities::of(&servers, Seed::new(3), 1);
            let mut all = Vec::new();
            for &slots in sizes {
                capacities.draw(slots);
                (0..slots).for_each(|at| all.extend_from_slice(&capacities.slot(at)[..24]));
            }
            all
        };
        let all = draw(&[7]);
        assert_eq!(all, draw(&[1, 4, 2]));
        for slot in all.chunks(24) {
            assert_eq!(slot[..3], [1; 3]);
            assert!(
                slot[3..23]
                    .iter()
                    .all(|capacity| (1..=19).contains(capacity))
            );
            assert_eq!(slot[23], i32::MAX as u32);
        }
        assert_ne!(all[..24], all[24..48], "drawn anew in every slot");
    }
}
