/// Numbers of jobs by the slots between arrival and departure: a histogram.
///
/// Where queues grow for ever, waits are long and hardly two are equal. A table of pages finds each
/// count at once and has no memory for pages without jobs. A map would be searched for each server
/// in each slot.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    /// The first page, which suffices for most runs.
    short: Box<[u64; SHORT]>,
    /// The other pages, in order, allocated where jobs are counted.
    long: Vec<Option<Box<[u64; PAGE]>>>,
}

const SHORT: usize = 1 << 14;
/// The bits that a short number of slots may have.
const LOW: u32 = SHORT as u32 - 1;
const PAGE: usize = 1 << 10;

impl Waits {
    pub(super) fn none() -> Self {
        Self {
            short: zeros(),
            long: Vec::new(),
        }
    }

    /// `jobs` more have waited for `slots` slots.
    #[inline]
    pub(super) fn add(&mut self, slots: u32, jobs: u32) {
        match self.short.get_mut(slots as usize) {
            Some(count) => *count += u64::from(jobs),
            None => self.add_long(slots as usize - SHORT, jobs),
        }
    }

    /// Whether [`add_short`](Self::add_short) can count jobs that waited for `slots` slots.
    #[inline]
    pub(super) fn is_short(slots: u32) -> bool {
        slots & !LOW == 0
    }

    /// For each i, `jobs[i]` more have waited for `slots[i]` slots. Where `jobs[i]` > 0, `slots[i]`
    /// is [short](Self::is_short).
    #[inline]
    pub(super) fn add_short(&mut self, slots: &[u32], jobs: &[u32]) {
        for (&slots, &jobs) in slots.iter().zip(jobs) {
            self.short[(slots & LOW) as usize] += u64::from(jobs);
        }
    }

    #[inline(never)]
    fn add_long(&mut self, beyond: usize, jobs: u32) {
        let page = beyond / PAGE;
        if page >= self.long.len() {
            self.long.resize(page + 1, None);
        }
        let counts = self.long[page].get_or_insert_with(zeros);
        counts[beyond % PAGE] += u64::from(jobs);
    }

    /// The waits that occurred, ascending, each with its number of jobs.
    pub(super) fn counts(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let pages = (0u64..).zip(&self.long);
        let long = pages.flat_map(|(page, counts)| {
            let first = SHORT as u64 + page * PAGE as u64;
            (first..).zip(counts.iter().flat_map(|counts| **counts))
        });
        let short = (0..).zip(*self.short);
        short.chain(long).filter(|&(_, jobs)| jobs > 0)
    }
}

fn zeros<const N: usize>() -> Box<[u64; N]> {
    vec![0; N].try_into().expect("as long as it says")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn counts_as_a_map_does(added in prop::collection::vec(
            (
                prop_oneof![0..4u32, 16_380..16_390u32, 17_400..17_420u32, 0..1_000_000u32],
                1..=u32::MAX,
            ),
            0..60,
        )) {
            let mut waits = Waits::none();
            let mut map = BTreeMap::new();
            for (slots, jobs) in added {
                waits.add(slots, jobs);
                *map.entry(u64::from(slots)).or_insert(0) += u64::from(jobs);
            }
            prop_assert_eq!(waits.counts().collect::<Vec<_>>(), map.into_iter().collect::<Vec<_>>());
        }
    }
}
