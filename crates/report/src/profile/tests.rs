//! A small profile on the page and in the formats of others.

use filch_experiments::profile::{Analysis, Flame, Prediction};
use filch_profile::{
    Dag, Duration, Ending, Frame, Kind, Profile, Program, Recording, Section, Site, SiteId, Step,
    Stretch, StretchId, Task,
};
use filch_random::Seed;
use filch_sim::machine::replay::Prices;
use serde_json::Value;

use super::{Shown, firefox, folded, page, perfetto};

fn micros(micros: u64) -> Duration {
    Duration::from_nanos(1000 * micros)
}

fn site(kind: Kind, function: &str, line: u32, forks: u64) -> Site {
    let frame = Frame {
        function: function.to_owned(),
        place: Some(("src/main.rs".to_owned(), line)),
    };
    Site {
        kind,
        frames: vec![frame],
        user: Some(0),
        closure: String::new(),
        forks,
        steals: forks / 2,
    }
}

/// A section with two joins, one below the other, of which a thief ran a part.
fn profile() -> Profile {
    let mut dag = Dag::default();
    let leaf = dag.add(Task::new(vec![Step::Work(micros(100))]));
    let join = |site, first, second| Step::Join {
        site: SiteId(site),
        first,
        second,
    };
    let inner = dag.add(Task::new(vec![join(2, leaf, leaf), Step::Work(micros(10))]));
    let root = dag.add(Task::new(vec![
        Step::Work(micros(50)),
        join(1, inner, inner),
    ]));
    let measures = dag.measures(root);
    let stretch = |worker, site, forked_in: Option<u32>, began, ended| Stretch {
        worker,
        site: SiteId(site),
        forked_in: forked_in.map(StretchId),
        forked: micros(began),
        began: micros(began),
        ended: micros(ended),
        waited: Duration::ZERO,
    };
    Profile {
        program: Program {
            command: vec!["/bin/<prog>".to_owned(), "a&b".to_owned()],
            threads: 2,
            processors: 2,
            wall: micros(400),
            usage: None,
        },
        recording: Recording {
            ending: Ending::Whole,
            clock: Duration::ZERO,
            fork: Duration::ZERO,
            spent: micros(1),
            tolerance: 0.0,
            stretches_kept: (2, 2),
        },
        sites: vec![
            site(Kind::Install, "main", 1, 0),
            site(Kind::Join, "outer<T>", 2, 1),
            site(Kind::Join, "<in as I>; of", 3, 2),
        ],
        dag,
        sections: vec![Section {
            site: SiteId(0),
            entered: micros(20),
            left: micros(320),
            caller: 0,
            is_awaited: true,
            root,
            measures,
            steals: 1,
        }],
        stretches: vec![
            stretch(0, 0, None, 20, 320),
            stretch(1, 1, Some(0), 80, 300),
        ],
    }
}

/// Calls `show` with all that is concluded from the profile.
fn shown<R>(profile: &Profile, show: impl FnOnce(&Shown<'_>) -> R) -> R {
    let zero = Duration::ZERO;
    let prices = Prices {
        fork: zero,
        steal: zero,
        wake: zero,
        search: zero,
        patience: zero,
        start: zero,
    };
    show(&Shown {
        profile,
        analysis: &Analysis::of(profile, zero, zero),
        prediction: &Prediction::of(profile, &prices, &[1, 2, 4], Seed::default()),
        flame: &Flame::of(profile),
        hints: &["a <hint>".to_owned()],
        command: "filch profile x",
    })
}

#[test]
fn the_page_has_all_parts_and_escapes_what_it_quotes() {
    let page = shown(&profile(), page);
    for part in [
        "id=\"speed-up\"",
        "id=\"path\"",
        "id=\"sites\"",
        "id=\"flame-work\"",
        "id=\"flame-span\"",
        "id=\"schedule\"",
        "&lt;prog&gt;",
        "a &lt;hint&gt;",
        "outer (src/main.rs:2)",
        "stolen from worker 0",
        // As hints name them.
        "<span>site 1, outer (src/main.rs:2)</span>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for part in ["<prog>", "<hint>", "<in as", "http://", "https://"] {
        let outside = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!outside.contains(part), "{part}");
    }
}

/// What recording took is a part of the workers' time, as in a terminal: there is serial time here.
#[test]
fn what_recording_took_does_not_depend_on_serial_time() {
    let mut profile = profile();
    profile.recording.spent = micros(30);
    profile.program.threads = 1;
    let page = shown(&profile, page);
    for part in ["<dd>6.0 %, subtracted</dd>", "<dd>400 µs on 1 thread</dd>"] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

/// Boxes lie within the box above them and beside their neighbours.
#[test]
fn a_flame_graph_is_as_wide_as_its_times() {
    let page = shown(&profile(), page);
    let from = page.find("id=\"flame-work\"").unwrap();
    let until = page.find("id=\"flame-span\"").unwrap();
    let mut found = Vec::new();
    for part in page[from..until].split("data-left=\"").skip(1) {
        let number = |name: &str| -> f64 {
            let value = part.split(name).nth(1).unwrap().split('"').next().unwrap();
            value.parse().unwrap()
        };
        let left: f64 = part.split('"').next().unwrap().parse().unwrap();
        let picos = |share: f64| (share * 570.0).round() as u64;
        found.push((
            number("data-depth=\""),
            picos(left),
            picos(number("data-width=\"")),
        ));
    }
    // All, serial, the section, the outer and the inner join: of 100 + 470 microseconds.
    let expected = [
        (0.0, 0, 570),
        (1.0, 0, 100),
        (1.0, 100, 470),
        (2.0, 100, 420),
        (3.0, 100, 400),
    ];
    assert_eq!(found, expected);
}

#[test]
fn folded_stacks_have_what_is_forked_under_its_fork() {
    let main = "main (src/main.rs:1)";
    let outer = "outer (src/main.rs:2)";
    let inner = "<in as I>: of (src/main.rs:3)";
    assert_eq!(
        shown(&profile(), folded),
        format!(
            "serial 100000\n{main} 50000\n{main};{outer} 20000\n{main};{outer};{inner} 400000\n"
        )
    );
}

#[test]
fn a_trace_has_an_arrow_for_each_steal() {
    let trace: Value = serde_json::from_str(&shown(&profile(), perfetto)).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let with = |phase: &str| -> Vec<&Value> {
        events.iter().filter(|event| event["ph"] == phase).collect()
    };
    assert_eq!(with("X").len(), 3);
    assert_eq!(with("M").len(), 3);
    let (begin, end) = (with("s"), with("f"));
    assert_eq!((begin.len(), end.len()), (1, 1));
    assert_eq!((&begin[0]["tid"], &end[0]["tid"]), (&0.into(), &1.into()));
    assert_eq!(begin[0]["id"], end[0]["id"]);
}

#[test]
fn the_firefox_profiler_gets_stacks_with_weights() {
    let text = shown(&profile(), firefox);
    let profile: Value = serde_json::from_str(&text).unwrap();
    let threads = profile["threads"].as_array().unwrap();
    // The crate sorts them.
    let weights = |name: &str| -> u64 {
        let thread = threads.iter().find(|thread| thread["name"] == name);
        let weights = thread.unwrap()["samples"]["weight"].as_array().unwrap();
        weights.iter().map(|weight| weight.as_u64().unwrap()).sum()
    };
    assert_eq!(threads.len(), 4);
    // Work and span in microseconds.
    assert_eq!(weights("work"), 470);
    assert_eq!(weights("critical path"), 160);
    assert_eq!(weights("worker 1"), 220);
}
