//! A worker that uses an entry again while another reads it, under loom.

use std::sync::Arc;

use loom::thread;

use super::{Entry, Origin, Root};

/// Different in every field for every version.
fn root(version: u64) -> Root {
    let at = |offset: u32| Origin {
        seat: version as u32 + offset,
        entry: version as u32 + 2 * offset,
        version: version + u64::from(offset),
    };
    Root {
        latch: core::ptr::without_provenance_mut(8 * version as usize),
        generation: version as usize,
        parent: at(100),
        jump: at(200),
    }
}

/// The entry has the first root, and its worker writes those of `versions` while another thread
/// calls `read`.
fn model(versions: &'static [u64], read: impl Fn(&Entry) + Copy + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let entry = Arc::new(Entry::default());
        entry.write(root(1), 1, 1);
        let reading = thread::spawn({
            let entry = Arc::clone(&entry);
            move || read(&entry)
        });
        for &version in versions {
            entry.write(root(version), version as usize, version);
        }
        reading.join().unwrap();
    });
}

/// The old root is read whole, or it is found to be gone.
#[test]
fn an_old_root_is_read_whole_or_not_at_all() {
    model(&[2], |entry| {
        assert!(entry.read(1).is_none_or(|read| read == root(1)));
    });
}

/// The new root is read whole, or it is not there yet.
#[test]
fn a_new_root_is_read_whole_or_not_at_all() {
    model(&[2], |entry| {
        assert!(entry.read(2).is_none_or(|read| read == root(2)));
    });
}

/// A root that comes and goes while it is read.
#[test]
fn a_root_in_between_is_read_whole_or_not_at_all() {
    model(&[2, 3], |entry| {
        assert!(entry.read(2).is_none_or(|read| read == root(2)));
    });
}

/// An origin names a root that was there, never one that is being written.
#[test]
fn an_origin_is_that_of_a_root_that_was_there() {
    model(&[2], |entry| {
        let origin = entry.origin(5, 7);
        let expected = |version| Origin {
            seat: 5,
            entry: 7,
            version,
        };
        let those = [Origin::NONE, expected(1), expected(2)];
        assert!(those.contains(&origin), "{origin:?}");
        if !origin.is_none()
            && let Some(read) = entry.read(origin.version)
        {
            assert_eq!(read, root(origin.version));
        }
    });
}
