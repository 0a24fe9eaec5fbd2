use filch_profile::{Profile, Section};

use super::{check, measured, own_sections, record, work};
use crate::{Pool, join};

#[test]
fn a_call_to_another_pool_is_a_part_of_the_caller() {
    let other = Pool::new(2).unwrap();
    check((10 + 7 + 5 + 1, 10 + 7 + 1, 1), || {
        work(10);
        other.install(|| {
            join(|| work(7), || work(5));
        });
        work(1);
    });
}

#[test]
fn each_call_is_a_section() {
    let _alone = super::alone();
    let pool = Pool::new(2).unwrap();
    let calls = || {
        pool.install(|| work(5));
        // Not recorded: it is outside every pool.
        work(1000);
        pool.join(|| work(1), || work(2));
        pool.scope(|s| s.spawn(|_| work(3)));
    };
    let ((), profile) = pool.profile_here(calls);
    let sections = own_sections(&profile);
    let measures: Vec<_> = sections.iter().map(|section| measured(section)).collect();
    assert_eq!(measures, [(5, 5, 0), (3, 2, 1), (3, 3, 1)]);
    assert!(sections.iter().all(|section| section.is_awaited));
    assert!(sections[1].entered.picos() >= sections[0].left.picos() + 1_000_000);
}

/// A caller that [borrows a seat](crate#from-outside) runs its sections on its own thread.
#[test]
fn calls_on_borrowed_seats_are_sections() {
    let _alone = super::alone();
    let pool = Pool::new(1).unwrap();
    let ((), profile) = pool.profile_here(|| {
        for _ in 0..20 {
            // The worker falls asleep meanwhile, as a rule.
            std::thread::sleep(std::time::Duration::from_millis(2));
            pool.join(|| work(1), || work(2));
        }
    });
    let sections = own_sections(&profile);
    assert_eq!(sections.len(), 20);
    assert!(
        sections
            .iter()
            .all(|section| measured(section) == (3, 2, 1))
    );
}

/// Two calls in the source are two sites, also if they run the same code. A compiler that unrolls a
/// loop makes several sites of one call, and all of them have the same frames.
#[test]
#[cfg(unix)]
fn calls_from_two_places_are_two_sites() {
    let _alone = super::alone();
    let pool = Pool::new(1).unwrap();
    let ((), profile) = pool.profile_here(|| {
        call_often(&pool, 64);
        pool.install(leaf);
    });
    let sections = own_sections(&profile);
    let frames = |section: &Section| &profile.sites[section.site.0 as usize].frames;
    let (alone, often) = sections.split_last().unwrap();
    assert_eq!(often.len(), 64);
    for section in often {
        assert_eq!(frames(section), frames(often[0]));
        assert_ne!(section.site, alone.site);
    }
    assert_ne!(frames(alone), frames(often[0]));
}

fn leaf() {
    work(1);
}

#[inline(never)]
#[cfg(unix)]
fn call_often(pool: &Pool, times: u32) {
    let mut left = times;
    while core::hint::black_box(left) > 0 {
        left -= 1;
        pool.install(leaf);
    }
}

#[test]
fn a_job_on_its_own_is_a_section_that_is_not_awaited() {
    for workers in [1, 3] {
        let (sum, profile) = record(workers, || {
            work(2);
            let job = crate::spawn(|| {
                join(|| work(30), || work(40));
                7
            });
            let result = job.join().unwrap();
            work(5);
            result
        });
        assert_eq!(sum, 7);
        let [awaited, own]: [_; 2] = {
            let (awaited, own): (Vec<_>, Vec<_>) = profile
                .sections
                .iter()
                .filter(|section| is_of_test(&profile, section))
                .partition(|section| section.is_awaited);
            [awaited, own].map(|sections| {
                assert_eq!(sections.len(), 1);
                measured(sections[0])
            })
        };
        assert_eq!(awaited, (7, 7, 0));
        assert_eq!(own, (70, 40, 1));
    }
}

/// Other tests may run jobs of their own.
fn is_of_test(profile: &Profile, section: &Section) -> bool {
    profile.sites[section.site.0 as usize]
        .closure
        .contains("sections::a_job_on_its_own")
}

#[test]
fn one_recording_after_the_other() {
    for round in 1..4u64 {
        let ((), profile) = record(2, || {
            join(|| work(round), || work(10));
        });
        let sections = own_sections(&profile);
        assert_eq!(sections.len(), 1);
        assert_eq!(measured(sections[0]), (10 + round, 10, 1));
    }
}

/// A profile that is recorded within another has what was entered since it began.
#[test]
fn recordings_overlap() {
    let _alone = super::alone();
    let pool = Pool::new(1).unwrap();
    let ((), outer) = pool.profile_here(|| {
        pool.install(|| work(1));
        work(1000);
        let ((), inner) = pool.profile_here(|| pool.install(|| work(20)));
        assert_eq!(own_sections(&inner).len(), 1);
        assert_eq!(measured(own_sections(&inner)[0]), (20, 20, 0));
        pool.install(|| work(300));
    });
    let works: Vec<_> = own_sections(&outer)
        .iter()
        .map(|section| measured(section).0)
        .collect();
    assert_eq!(works, [1, 20, 300]);
}

#[test]
fn nothing_is_recorded_outside_a_recording() {
    let _alone = super::alone();
    let pool = Pool::new(1).unwrap();
    pool.install(|| join(|| work(1), || work(2)));
    let ((), profile) = pool.profile_here(|| ());
    assert!(own_sections(&profile).is_empty());
}

#[test]
fn a_recorded_profile_goes_through_its_file() {
    let ((), profile) = record(2, || {
        crate::scope(|s| {
            s.spawn(|_| work(5));
            join(|| work(1), || work(2));
        });
    });
    let bytes = profile.write_to(Vec::new()).unwrap();
    assert_eq!(Profile::from_bytes(&bytes).unwrap(), profile);
}

#[test]
fn a_panic_ends_the_recording_and_is_passed_on() {
    let _alone = super::alone();
    let pool = Pool::new(1).unwrap();
    let panics = || pool.profile(|| -> u32 { std::panic::resume_unwind(Box::new("on purpose")) });
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics));
    assert!(result.is_err());
    assert_eq!(super::super::store::epoch(), 0);
}
