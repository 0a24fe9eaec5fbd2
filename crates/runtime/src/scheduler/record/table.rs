//! The classes that one thread has met.

use super::class::{ByHash, ClassKey, Sums};
use super::store::Store;
use super::task::{Step, TaskRef};

/// How many tasks a thread keeps before it hands them to the store.
const MOST_UNPUBLISHED: usize = 1 << 14;

/// The first task of each class that this thread has met. The tasks go to the store when another
/// thread is to refer to them, so the lock of the store is taken only for classes that are new.
#[derive(Default)]
pub(super) struct Table {
    classes: ByHash<ClassKey, TaskRef>,
    /// By its number on this thread, the number of a task in the store.
    published: Vec<u32>,
    /// The tasks that follow.
    unpublished: Vec<(ClassKey, Box<[Step]>, Sums)>,
}

impl Table {
    /// The task that stands for all of this class: this one, if it is the first.
    #[inline]
    pub(super) fn intern(&mut self, key: ClassKey, steps: &[Step], sums: &Sums) -> TaskRef {
        if let Some(known) = self.classes.get(&key) {
            return *known;
        }
        self.add(key, steps, sums)
    }

    /// Whether a task stands for this class.
    pub(super) fn knows(&self, key: ClassKey) -> bool {
        self.classes.contains_key(&key)
    }

    #[cold]
    fn add(&mut self, key: ClassKey, steps: &[Step], sums: &Sums) -> TaskRef {
        let task = TaskRef::of_thread(self.published.len() + self.unpublished.len());
        self.unpublished.push((key, steps.into(), *sums));
        self.classes.insert(key, task);
        if self.unpublished.len() == MOST_UNPUBLISHED {
            Store::with(|store| self.publish_all(store));
        }
        task
    }

    /// The task as every thread knows it.
    pub(super) fn publish(&mut self, task: TaskRef) -> TaskRef {
        match task.number() {
            Ok(number) if number >= self.published.len() => {
                Store::with(|store| self.publish_all(store));
            }
            _ => {}
        }
        self.known_to_all(task)
    }

    pub(super) fn publish_all(&mut self, store: &mut Store) {
        for (key, mut steps, sums) in core::mem::take(&mut self.unpublished) {
            for step in &mut steps {
                for is_second in [false, true] {
                    if let Some(child) = step.child_mut(is_second) {
                        *child = self.known_to_all(*child);
                    }
                }
            }
            self.published.push(store.intern(key, &steps, &sums));
        }
    }

    fn known_to_all(&self, task: TaskRef) -> TaskRef {
        match task.number() {
            Ok(number) => self
                .published
                .get(number)
                .map_or(TaskRef::UNKNOWN, |number| TaskRef::of_store(*number)),
            Err(_) => task,
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
