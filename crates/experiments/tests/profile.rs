//! Conclusions from profiles that are written down by hand.

use filch_experiments::profile::{
    Analysis, CutOff, ExportError, Exported, Prediction, Sizes, WhatIf, disturbance,
    one_site_per_line, only_section,
};
use filch_profile::{
    Dag, Duration, Ending, Frame, Kind, Profile, Program, Recording, Section, Site, SiteId, Step,
    Task, TaskId, Usage,
};
use filch_random::Seed;
use filch_sim::machine::replay::Prices;

const OUTER: SiteId = SiteId(0);
const FIB: SiteId = SiteId(1);
const OTHER: SiteId = SiteId(2);

const fn nanos(time: u64) -> Duration {
    Duration::from_nanos(time)
}

fn site(kind: Kind, forks: u64) -> Site {
    Site {
        kind,
        frames: Vec::new(),
        user: None,
        closure: String::new(),
        forks,
        steals: 0,
    }
}

/// fib(n) with leaves of 1 µs, by a join at `FIB`.
fn fib(dag: &mut Dag, n: usize) -> TaskId {
    fib_with_leaves(dag, n, nanos(1000))
}

fn fib_with_leaves(dag: &mut Dag, n: usize, leaf: Duration) -> TaskId {
    let leaf = Task::new(vec![Step::Work(leaf)]);
    let mut tasks = vec![dag.add(leaf.clone()), dag.add(leaf)];
    for n in 2..=n {
        let join = Step::Join {
            site: FIB,
            first: tasks[n - 1],
            second: tasks[n - 2],
        };
        tasks.push(dag.add(Task::new(vec![join])));
    }
    tasks[n]
}

/// A program that computes fib twice from two threads at a time, as `sections` say: who calls, from
/// when to when.
fn profile(dag: Dag, root: TaskId, sections: &[(u32, u64, u64)], wall: u64) -> Profile {
    let measures = dag.measures(root);
    let sections = sections.iter().map(|&(caller, entered, left)| Section {
        site: OUTER,
        entered: nanos(entered),
        left: nanos(left),
        caller,
        is_awaited: true,
        root,
        measures,
        steals: 0,
    });
    Profile {
        program: Program {
            command: vec!["fib".to_owned()],
            threads: 1,
            processors: 2,
            wall: nanos(wall),
            usage: None,
        },
        recording: Recording {
            ending: Ending::Whole,
            clock: Duration::ZERO,
            fork: Duration::ZERO,
            spent: Duration::ZERO,
            tolerance: 0.0,
            stretches_kept: (0, 0),
        },
        sections: sections.collect(),
        sites: vec![
            site(Kind::Install, 0),
            site(Kind::Join, measures.forks),
            site(Kind::Join, 0),
        ],
        dag,
        stretches: Vec::new(),
    }
}

fn fib_profile(sections: &[(u32, u64, u64)], wall: u64) -> Profile {
    let mut dag = Dag::default();
    let root = fib(&mut dag, 12);
    profile(dag, root, sections, wall)
}

#[test]
fn the_figures_of_fib() {
    // fib(12) has 233 leaves and 232 forks; its longest path has one leaf.
    let profile = fib_profile(&[(0, 1000, 300_000)], 310_000);
    let analysis = Analysis::of(&profile, nanos(10), nanos(90));
    let total = analysis.total;
    assert_eq!(total.work, nanos(233_000));
    assert_eq!(total.span, nanos(1000));
    assert_eq!(total.burdened_span, nanos(1000 + 11 * 90));
    assert_eq!(total.serial, nanos(1000 + 10_000));
    assert_eq!(total.forks, 232);
    assert_eq!(total.mean_grain, nanos(1000));
    assert!((total.parallelism() - 244.0 / 12.0).abs() < 1e-9);
    let [outer, fib] = &analysis.sites[..] else {
        panic!("two sites occur");
    };
    assert_eq!((outer.site, fib.site), (OUTER, FIB));
    for site in [outer, fib] {
        assert_eq!(site.work, nanos(233_000), "each leaf once");
        assert_eq!(site.span, nanos(1000));
        assert_eq!(site.outermost, 1);
        assert_eq!(site.share_of_work, 1.0);
    }
    assert_eq!(outer.own, Duration::ZERO);
    assert_eq!(fib.own, nanos(233_000));
    assert_eq!(fib.forks, 232);
    // The second closures of all joins.
    let tasks: u64 = (2..=12).map(|n| leaves(n - 2) * calls(12, n)).sum();
    assert_eq!(
        fib.mean_task,
        Some(Duration::from_picos(tasks * 1_000_000 / 232))
    );
    let path = &analysis.critical_path;
    assert_eq!(path.length, nanos(12_000));
    assert_eq!(path.sites[0].site, FIB);
    assert_eq!(path.sites[0].time, nanos(1000));
    assert_eq!(analysis.grain.break_even, nanos(100));
    assert!((analysis.grain.share_of_forks(nanos(200)) - 0.05).abs() < 1e-9);
    assert_eq!(analysis.grain.fine, nanos(200));
}

/// How many leaves fib(n) has.
fn leaves(n: u64) -> u64 {
    if n < 2 {
        1
    } else {
        leaves(n - 1) + leaves(n - 2)
    }
}

/// How often fib(`of`) calls fib(`n`), with n at least 2.
fn calls(of: u64, n: u64) -> u64 {
    match of {
        _ if of == n => 1,
        _ if of < n => 0,
        _ => calls(of - 1, n) + calls(of - 2, n),
    }
}

#[test]
fn a_program_is_predicted_with_its_serial_time() {
    let profile = fib_profile(&[(0, 1000, 301_000), (0, 302_000, 602_000)], 603_000);
    // The strands contain the forks, which have no price beside them.
    let prices = Prices {
        fork: nanos(10),
        ..Prices::NONE
    };
    let predicted = Prediction::of(&profile, &prices, &[1, 2, 4, 1024], Seed::new(1));
    let serial = 3000 + 2 * 233_000;
    assert_eq!(predicted.serial_time, nanos(serial));
    assert_eq!(predicted.rows[0].time, nanos(serial));
    assert_eq!(predicted.rows[0].speed_up, 1.0);
    assert_eq!(predicted.lengthened, Duration::ZERO);
    for row in &predicted.rows {
        assert!(row.least <= row.time && row.time <= row.bound, "{row:?}");
    }
    assert!(predicted.rows[1].efficiency > 0.97);
    assert_eq!(predicted.rows[3].time, nanos(3000 + 2 * 1000));
    let again = Prediction::of(&profile, &prices, &[1, 2, 4, 1024], Seed::new(1));
    assert_eq!(again, predicted);
}

/// What runs at the same time is not on the path one after the other: two callers with three and
/// two sections in one phase, then jobs that no caller waits for.
#[test]
fn sections_that_overlap_are_one_step_of_the_path() {
    let waited = [
        (0, 0, 40),
        (1, 10, 50),
        (0, 45, 70),
        (1, 60, 90),
        (0, 80, 99),
    ];
    let mut profile = fib_profile(&waited, 200);
    let analysis = Analysis::of(&profile, nanos(0), nanos(90));
    assert_eq!(analysis.total.work, nanos(5 * 233_000));
    assert_eq!(analysis.total.span, nanos(3 * 1000));
    assert_eq!(analysis.total.burdened_span, nanos(3 * (1000 + 11 * 90)));
    assert_eq!(analysis.critical_path.length, nanos(3 * 1000 + 101));
    for section in &mut profile.sections {
        section.is_awaited = false;
    }
    let analysis = Analysis::of(&profile, nanos(0), nanos(90));
    assert_eq!(analysis.total.span, nanos(1000));
    let predicted = Prediction::of(&profile, &Prices::NONE, &[1, 2, 64], Seed::new(1));
    for row in &predicted.rows {
        assert!(row.least <= row.time && row.time <= row.bound, "{row:?}");
    }
}

/// Sections of two callers that overlap share the processors; the time in no section stays.
#[test]
fn sections_that_overlap_run_at_the_same_time() {
    let apart = fib_profile(&[(0, 0, 233_000), (1, 233_000, 466_000)], 466_000);
    let beside = fib_profile(&[(0, 0, 233_000), (1, 0, 466_000)], 466_000);
    let times = |profile: &Profile| {
        let rows = Prediction::of(profile, &Prices::NONE, &[1, 2, 1000], Seed::new(1)).rows;
        rows.iter().map(|row| row.time).collect::<Vec<_>>()
    };
    let (apart, beside) = (times(&apart), times(&beside));
    assert_eq!(apart[0], nanos(466_000));
    assert_eq!(beside[0], nanos(466_000));
    assert_eq!(apart[2], nanos(2000), "one after the other");
    assert_eq!(beside[2], nanos(1000), "at once");
    // A caller that waits between two of its own sections holds no processor.
    let gap = fib_profile(
        &[(0, 0, 233_000), (1, 0, 500_000), (0, 300_000, 400_000)],
        500_000,
    );
    assert_eq!(times(&gap)[2], nanos(1000 + 67_000 + 1000));
}

#[test]
fn what_if_a_site_changes() {
    let profile = fib_profile(&[(0, 0, 300_000)], 300_000);
    let time = |what: WhatIf, processors: usize| {
        let changed = what.apply(&profile, nanos(0));
        let rows = Prediction::of(&changed, &Prices::NONE, &[processors], Seed::new(1)).rows;
        rows[0].time
    };
    assert_eq!(time(WhatIf::Faster(FIB, 2.0), 1), nanos(116_500));
    assert_eq!(time(WhatIf::Faster(OUTER, 4.0), 1000), nanos(250));
    assert_eq!(time(WhatIf::Faster(OTHER, 4.0), 1), nanos(233_000));
    assert_eq!(time(WhatIf::Serial(FIB), 1000), nanos(233_000));
    assert_eq!(time(WhatIf::Serial(OUTER), 1000), nanos(233_000));
    assert_eq!(time(WhatIf::Serial(OTHER), 1000), nanos(1000));
    // fib(3) has three leaves and fib(4) five: what has less than four becomes one strand.
    assert_eq!(time(WhatIf::CutOff(FIB, nanos(4000)), 1000), nanos(3000));
    assert_eq!(time(WhatIf::CutOff(FIB, nanos(0)), 1000), nanos(1000));
    assert_eq!(
        time(WhatIf::CutOff(FIB, nanos(1_000_000)), 1000),
        nanos(233_000)
    );
}

/// Forks that are gone take no time any more: all of them, or those of what has less than four
/// leaves, which are fib(3) and each fib(2) that no fib(3) calls.
#[test]
fn forks_that_are_gone_take_no_time() {
    let profile = fib_profile(&[(0, 0, 300_000)], 300_000);
    let time = |what: WhatIf| {
        let changed = what.apply(&profile, nanos(10));
        let rows = Prediction::of(&changed, &Prices::NONE, &[1], Seed::new(1)).rows;
        rows[0].time
    };
    let (all, small) = (
        232 * 10,
        (2 * calls(12, 3) + calls(12, 2) - calls(12, 3)) * 10,
    );
    assert_eq!(time(WhatIf::Serial(OUTER)), nanos(233_000 - all));
    assert_eq!(
        time(WhatIf::CutOff(FIB, nanos(1_000_000))),
        nanos(233_000 - all)
    );
    assert_eq!(
        time(WhatIf::CutOff(FIB, nanos(4000))),
        nanos(233_000 - small)
    );
    // Only closures that work can become shorter: here the leaves that are called first.
    assert_eq!(
        time(WhatIf::Serial(FIB)),
        nanos(233_000 - calls(12, 2) * 10)
    );
}

/// A serial join keeps what its closures fork parallel.
#[test]
fn what_is_under_a_serial_site_stays_parallel() {
    let mut dag = Dag::default();
    let inner = fib(&mut dag, 5);
    let join = |site| Step::Join {
        site,
        first: inner,
        second: inner,
    };
    let root = dag.add(Task::new(vec![join(OTHER), join(OTHER)]));
    let profile = profile(dag, root, &[(0, 0, 40_000)], 40_000);
    let serial = WhatIf::Serial(OTHER).apply(&profile, nanos(0));
    let size = |profile: &Profile| {
        let root = profile.sections[0].root;
        Sizes::of(&profile.dag, Duration::ZERO).get(root)
    };
    assert_eq!(size(&profile).span, nanos(2000));
    assert_eq!(size(&serial).span, nanos(4000));
    assert_eq!(size(&serial).work, size(&profile).work);
    assert_eq!(size(&serial).forks, size(&profile).forks - 2);
}

/// The tree with a million leaves is replayed as a whole; sub-computations below a millionth of the
/// work are not, and the spans that this lengthens are counted.
#[test]
fn small_sub_computations_are_cut() {
    let mut dag = Dag::default();
    let mut root = dag.add(Task::new(vec![Step::Work(nanos(100))]));
    for _ in 0..22 {
        let join = Step::Join {
            site: FIB,
            first: root,
            second: root,
        };
        root = dag.add(Task::new(vec![join]));
    }
    let profile = profile(dag, root, &[(0, 0, 100)], 100);
    let predicted = Prediction::of(&profile, &Prices::NONE, &[1, 8], Seed::new(1));
    // 2²² leaves of 100 ns: 400 ns are less than a millionth, 800 ns are not.
    assert_eq!(predicted.least, Duration::from_picos(419_430));
    assert_eq!(predicted.lengthened, nanos(300));
    assert_eq!(predicted.serial_time, nanos(100 << 22));
}

/// The instructions of the file are the strands in quanta, up to four more for each join, and no
/// more than asked for.
#[test]
fn a_dag_is_exported_as_instructions() {
    let profile = fib_profile(&[(0, 0, 1), (0, 2, 3)], 3);
    let one = only_section(&profile, 1).expect("the second section");
    assert!(only_section(&profile, 2).is_none());
    let whole = Exported::of(&one, 100_000).expect("fib is strict");
    let measures = whole.dag.measures();
    let quantum = whole.quantum.picos();
    assert!(measures.work <= 100_000 && measures.work > 50_000);
    let strands = 233 * (1_000_000 / quantum);
    assert!(measures.work >= strands && measures.work <= strands + 4 * 232);
    assert_eq!(whole.dag.threads(), 1 + 2 * 232);
    let leaf = 1_000_000 / quantum;
    assert!(measures.span >= leaf + 3 * 11 && measures.span <= leaf + 4 * 11);
    // Coarser: what is below the quantum becomes a strand.
    let coarse = Exported::of(&profile, 60).expect("fib is strict").dag;
    assert!(coarse.measures().work <= 60);
    assert!(coarse.threads() < 60 && coarse.threads() > 1);
    // What the file holds is read back.
    let read = filch_workload::dag::Dag::from_json(&coarse.to_json()).expect("a valid file");
    assert_eq!(read.measures(), coarse.measures());
}

#[test]
fn what_is_not_strict_is_not_exported() {
    let mut dag = Dag::default();
    let leaf = dag.add(Task::new(vec![Step::Work(nanos(1000))]));
    let spawn = |child| Step::Spawn { site: FIB, child };
    let child = dag.add(Task::new(vec![Step::Work(nanos(1000)), spawn(leaf)]));
    let body = dag.add(Task::new(vec![spawn(child), spawn(leaf)]));
    let strict = dag.add(Task::new(vec![spawn(leaf), spawn(leaf)]));
    let scope = |body| Task::new(vec![Step::Scope { site: FIB, body }]);
    let [stray, strict] = [body, strict].map(|body| dag.add(scope(body)));
    let export = |root| Exported::of(&profile(dag.clone(), root, &[(0, 0, 1)], 1), 1000);
    assert_eq!(export(stray).unwrap_err(), ExportError::Stray);
    assert_eq!(export(strict).expect("it is strict").dag.threads(), 3);
    let nothing = Exported::of(&profile(dag.clone(), strict, &[], 1), 1000);
    assert_eq!(nothing.unwrap_err(), ExportError::Nothing);
}

/// A site with these calls, innermost first.
fn called_at(kind: Kind, lines: &[u32], forks: u64) -> Site {
    let frame = |line: &u32| Frame {
        function: format!("f{line}"),
        place: Some(("main.rs".to_owned(), *line)),
    };
    Site {
        frames: lines.iter().map(frame).collect(),
        user: Some(0),
        steals: forks / 2,
        ..site(kind, forks)
    }
}

/// A loop that was unrolled, and a recursion from outside and from within.
#[test]
fn calls_from_one_line_are_one_site() {
    let mut recorded = fib_profile(&[(0, 0, 1), (0, 2, 3)], 4);
    recorded.sites = vec![
        called_at(Kind::Install, &[7, 1], 0),
        called_at(Kind::Join, &[7, 1], 4),
        called_at(Kind::Join, &[7, 8, 7, 1], 20),
        called_at(Kind::Install, &[7, 1], 0),
        called_at(Kind::Join, &[7, 2], 6),
        called_at(Kind::Join, &[9, 7, 1], 8),
    ];
    recorded.sections[1].site = SiteId(3);
    let merged = one_site_per_line(&recorded);
    let counts: Vec<_> = merged.sites.iter().map(|s| (s.forks, s.steals)).collect();
    assert_eq!(counts, [(0, 0), (24, 12), (6, 3), (8, 4)]);
    assert!(merged.sections.iter().all(|section| section.site == OUTER));
    let figures = Analysis::of(&merged, nanos(10), nanos(90)).sites;
    assert_eq!((figures[0].site, figures[0].outermost), (OUTER, 2));

    // Where lines are not known, or differ, sites stay what they are.
    recorded.sites = vec![site(Kind::Join, 1); 4];
    assert_eq!(*one_site_per_line(&recorded), recorded);
}

#[test]
fn jobs_on_their_own_are_forks() {
    let mut profile = fib_profile(&[(0, 0, 1), (0, 2, 3)], 4);
    let before = Analysis::of(&profile, nanos(10), nanos(90)).total;
    assert_eq!((before.forks, before.detached), (464, 0));
    profile.sections[1].is_awaited = false;
    let total = Analysis::of(&profile, nanos(10), nanos(90)).total;
    assert_eq!((total.forks, total.detached), (465, 1));
    assert_eq!(total.mean_grain, before.mean_grain);
}

#[test]
fn a_run_without_its_processors_was_disturbed() {
    // 233 µs of work and 11 of serial time.
    let mut profile = fib_profile(&[(0, 1000, 300_000)], 310_000);
    let total = Analysis::of(&profile, nanos(10), nanos(90)).total;
    let mut with = |processor: u64, preemptions: u64| {
        profile.program.usage = Some(Usage {
            processor: nanos(processor),
            preemptions,
        });
        disturbance(&profile, &total)
    };
    assert_eq!(with(122_000, 3), Some(0.5));
    // Its threads have slept.
    assert_eq!(with(122_000, 0), None);
    // It has worked and searched.
    assert_eq!(with(240_000, 100), None);
    assert_eq!(with(300_000, 100), None);
    profile.program.usage = None;
    assert_eq!(disturbance(&profile, &total), None);
}

const PRICES: Prices = Prices {
    fork: nanos(2),
    steal: nanos(1000),
    wake: nanos(20_000),
    search: nanos(20_000),
    patience: nanos(20_000),
    start: nanos(20_000),
};

/// A cut-off is proposed where it gains something, and it gains what is said.
#[test]
fn a_cut_off_is_proposed_that_gains() {
    let cut_offs = |leaf: u64, n: usize| {
        let mut dag = Dag::default();
        let root = fib_with_leaves(&mut dag, n, nanos(leaf));
        let work = dag.measures(root).work.picos() / 1000;
        let mut profile = profile(dag, root, &[(0, 0, work)], work);
        profile.sites[OTHER.0 as usize].forks = 1;
        let analysis = Analysis::of(&profile, PRICES.fork, PRICES.steal);
        let found = CutOff::all(&profile, &analysis, &PRICES, Seed::new(1));
        (profile, found)
    };
    let (profile, found) = cut_offs(10, 25);
    let [cut_off] = found[..] else {
        panic!("{found:?}");
    };
    assert_eq!((cut_off.site, cut_off.processors), (FIB, 2));
    assert!((0.1..0.25).contains(&cut_off.share_of_forks), "{cut_off:?}");
    assert!(
        nanos(20) < cut_off.least && cut_off.least <= nanos(500),
        "{cut_off:?}"
    );
    let changed = WhatIf::CutOff(FIB, cut_off.least).apply(&profile, PRICES.fork);
    let time = |profile: &Profile| {
        let prediction = Prediction::of(profile, &PRICES, &[2], Seed::new(1));
        prediction.rows[0].time.seconds()
    };
    assert_eq!(cut_off.gain, time(&profile) / time(&changed));
    assert!((1.1..1.25).contains(&cut_off.gain), "{cut_off:?}");
    // Forks that take a fiftieth of the time, and a site that forks hardly ever.
    assert!(cut_offs(100, 25).1.is_empty());
    assert!(cut_offs(10, 5).1.is_empty());
}
