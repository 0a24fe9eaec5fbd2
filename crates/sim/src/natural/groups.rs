//! Records in groups of neighbouring processors, so that a group's queues fit into a cache.

/// Up to this many processors the queues fit into a cache that is shared by few cores, and random
/// accesses to them are cheap: grouping would cost more than it saves.
pub(super) const CACHED: usize = 1 << 20;

/// How many processors make a group: 2¹⁷ queues of four bytes fill half of a cache of 1 MiB.
pub(super) const GROUP: usize = 1 << 17;

/// Lists of records, one for each group of neighbouring processors.
///
/// Each list keeps its memory: what lies beyond `used` is spare room. A record is written at the
/// end of a list whether or not it is kept, so that keeping it costs no branch.
#[derive(Clone, Debug)]
pub(super) struct Groups<T> {
    /// The logarithm of the number of processors in a group.
    bits: u32,
    lists: Vec<List<T>>,
}

#[derive(Clone, Debug)]
struct List<T> {
    records: Vec<T>,
    used: usize,
}

impl<T: Copy + Default> Groups<T> {
    /// Empty lists for so many processors in groups of `size`, a power of two.
    pub(super) fn new(processors: usize, size: usize) -> Self {
        assert!(size.is_power_of_two(), "groups of a power of two");
        let list = List {
            records: vec![T::default(); 64],
            used: 0,
        };
        Self {
            bits: size.trailing_zeros(),
            lists: vec![list; processors.div_ceil(size)],
        }
    }

    /// How many groups there are.
    pub(super) fn count(&self) -> usize {
        self.lists.len()
    }

    /// How many processors a group has; the last may have fewer.
    pub(super) fn size(&self) -> usize {
        1 << self.bits
    }

    /// Writes a record into the list of the group of `processor`, if it is to be kept.
    #[inline]
    pub(super) fn push_if(&mut self, keep: bool, processor: u32, record: T) {
        let list = &mut self.lists[(processor >> self.bits) as usize];
        if list.used == list.records.len() {
            list.grow();
        }
        list.records[list.used] = record;
        list.used += usize::from(keep);
    }

    /// Reads the memory into which the next `records` records of each list will be written. A store
    /// that misses the cache holds up all later stores; these reads miss side by side.
    pub(super) fn fetch(&self, records: usize) {
        let per_line = 64 / size_of::<T>();
        for list in &self.lists {
            let ahead = list.records[list.used..].iter().step_by(per_line);
            for record in ahead.take(records / per_line + 2) {
                std::hint::black_box(*record);
            }
        }
    }

    /// The records of a group, in the order in which they were written.
    pub(super) fn records(&self, group: usize) -> &[T] {
        let list = &self.lists[group];
        &list.records[..list.used]
    }

    /// Empties the list of a group.
    pub(super) fn clear(&mut self, group: usize) {
        self.lists[group].used = 0;
    }
}

impl<T: Copy + Default> List<T> {
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let room = self.records.len() + self.records.len() / 4;
        self.records.reserve_exact(room - self.records.len());
        self.records.resize(room, T::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every kept record is in the list of its group, in order, and no other is.
        #[test]
        fn records_are_kept_in_order(
            records in prop::collection::vec((0..50u32, any::<bool>()), 0..500),
        ) {
            let mut groups = Groups::new(50, 8);
            prop_assert_eq!((groups.count(), groups.size()), (7, 8));
            for _ in 0..2 {
                for (at, &(processor, keep)) in records.iter().enumerate() {
                    groups.push_if(keep, processor, (at, processor));
                }
                for group in 0..groups.count() {
                    let mine = records.iter().enumerate().filter(|(_, (processor, keep))| {
                        *keep && *processor as usize / 8 == group
                    });
                    let mine: Vec<_> = mine.map(|(at, &(processor, _))| (at, processor)).collect();
                    prop_assert_eq!(groups.records(group), mine);
                    groups.clear(group);
                    prop_assert!(groups.records(group).is_empty());
                }
            }
        }
    }
}
