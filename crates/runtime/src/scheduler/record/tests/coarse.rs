use filch_profile::Dag;

use super::{Measured, check, own_sections, record, work};
use crate::join;

/// Fine enough that most of its forks are only counted.
fn fib(n: u64) {
    if n < 2 {
        work(2);
        return;
    }
    work(1);
    join(|| fib(n - 1), || fib(n - 2));
    work(3);
}

fn fib_measures(n: u64) -> Measured {
    if n < 2 {
        return (2, 2, 0);
    }
    let (first, second) = (fib_measures(n - 1), fib_measures(n - 2));
    (
        4 + first.0 + second.0,
        4 + first.1.max(second.1),
        1 + first.2 + second.2,
    )
}

#[test]
fn counted_forks_measure_what_timed_ones_do() {
    check(fib_measures(20), || fib(20));
}

#[test]
fn few_tasks_stand_for_many() {
    let ((), profile) = record(1, || fib(20));
    assert_eq!(own_sections(&profile)[0].measures.forks, 10_945);
    assert!(profile.dag.len() < 200, "{}", profile.dag.len());
}

/// What follows from the steps is what was measured, also where the second closure works much less
/// than the first that it is compared with.
#[test]
fn counted_forks_take_in_the_dag_what_they_took() {
    fn halves(depth: u64, nanos: u64) {
        if depth == 0 {
            work(nanos);
            return;
        }
        join(|| halves(depth - 1, nanos), || halves(depth - 1, nanos / 4));
    }
    let ((), profile) = record(1, || (0..200).for_each(|_| halves(3, 640)));
    let section = own_sections(&profile)[0];
    let mut steps = Dag::default();
    for (_, task, _) in profile.dag.iter() {
        steps.add(task.clone());
    }
    let (recorded, follows) = (section.measures.work, steps.measures(section.root).work);
    assert_eq!(recorded.picos() / 1000, 200 * 1250);
    let tolerance = recorded.picos() as f64 * profile.recording.tolerance;
    assert!(
        (follows.picos() as f64 - recorded.picos() as f64).abs() <= tolerance,
        "{follows}"
    );
}

/// Joins of two strands, until the site is trusted. Then a join whose second closure is not what
/// the first one promises.
fn deceive(forks: u64, other_site: bool) {
    fn pairs(depth: u64, other_site: bool) {
        if depth == 0 {
            work(10);
            if other_site {
                join(|| work(100), || work(200));
            }
            return;
        }
        join(|| pairs(depth - 1, false), || pairs(depth - 1, other_site));
    }
    for _ in 0..200 {
        pairs(2, false);
    }
    pairs(forks, other_site);
}

/// Work and forks are exact, also where structure is lost.
#[test]
fn a_site_that_deceives_is_recorded_in_full() {
    for other_site in [false, true] {
        let ((), profile) = record(1, || {
            deceive(2, other_site);
            deceive(5, other_site);
        });
        let section = own_sections(&profile)[0];
        let others = 2 * u64::from(other_site);
        let leaves = 200 * 4 + 200 * 4 + 4 + 32;
        assert_eq!(
            section.measures.work.picos() / 1000,
            10 * leaves + 300 * others
        );
        assert_eq!(section.measures.forks, 400 * 3 + 3 + 31 + others);
        let forks: u64 = profile.sites.iter().map(|site| site.forks).sum();
        assert!(forks >= section.measures.forks);
    }
}

/// A join of a small closure and a large one, at a site that was trusted.
#[test]
fn a_second_closure_that_is_larger_loses_few_joins() {
    fn tree(depth: u64) {
        if depth == 0 {
            work(10);
            return;
        }
        join(|| tree(depth - 1), || tree(depth - 1));
    }
    fn uneven(large: u64) {
        if large == 0 {
            work(10);
            return;
        }
        join(|| work(10), || uneven(0));
        if large > 1 {
            join(|| uneven(1), || tree(large));
        }
    }
    let ((), profile) = record(1, || {
        for _ in 0..200 {
            uneven(1);
        }
        uneven(12);
    });
    let section = own_sections(&profile)[0];
    let leaves = 200 * 2 + 2 + 2 + 4096;
    assert_eq!(section.measures.work.picos() / 1000, 10 * leaves);
    assert_eq!(section.measures.forks, 200 + 2 + 1 + 4095);
    assert!(section.measures.span.picos() / 1000 < 10 * (200 + 1 + 100));
}
