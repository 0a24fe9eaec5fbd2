use super::*;
use crate::values::{
    Axis, Cell, Chapter, Claim, Origin, Outcome, Plot, Point, Report, Schedule, Series, Table,
};
use filch_random::Seed;
use filch_sim::machine::{Machine, Scheduler};
use filch_workload::dag::Family;

fn schedule() -> Schedule {
    let family: Family = "fib:6".parse().unwrap();
    let (_, record) = Machine::new(Scheduler::Stealing, 4)
        .recorded(&family.computation(), Seed::new(1), 0, 1000)
        .unwrap();
    Schedule {
        computation: "</script><b>".to_owned(),
        scheduler: "stealing",
        seed: 1,
        command: "filch dag show".to_owned(),
        record,
    }
}

fn report() -> Report {
    let claim = |outcome| Claim {
        claim: "a < b & \"c\"".to_owned(),
        stated: "nowhere",
        checked: "<one>".to_owned(),
        found: "<img src=x>".to_owned(),
        measured: Some(1.5),
        bound: Some(1e9),
        outcome,
    };
    let axis = |label| Axis {
        label,
        logarithmic: false,
    };
    let plot = Plot {
        id: "load".to_owned(),
        title: "Load <1>".to_owned(),
        x: axis("load"),
        y: axis("jobs"),
        series: vec![Series {
            name: "uPI".to_owned(),
            origin: Origin::Simulated,
            points: vec![Point {
                x: 1.0,
                y: 2.0,
                interval: None,
            }],
        }],
        command: "filch dispatch > file".to_owned(),
    };
    let chapter = |id, measured, plots| Chapter {
        id,
        title: "A chapter: <of> many",
        text: "See `x < y`.\n\nAnd more.".to_owned(),
        measured,
        claims: vec![
            claim(Outcome::Holds),
            claim(Outcome::DoesNotHold),
            claim(Outcome::Undecided),
        ],
        tables: vec![Table {
            title: "A & B".to_owned(),
            columns: vec!["<x>", "n"],
            rows: vec![vec![Cell::Text("<y>".to_owned()), Cell::Real(0.5)]],
        }],
        plots,
    };
    Report {
        version: "0",
        scale: "quick",
        seed: 7,
        command: "filch reproduce --quick --seed 7".to_owned(),
        missing: vec!["Another <chapter>"],
        chapters: vec![
            chapter("one", false, vec![plot]),
            chapter("two", true, Vec::new()),
        ],
        schedules: vec![schedule()],
    }
}

/// Values are text, whatever they hold: no element comes from them.
#[test]
fn values_are_text() {
    let page = page(&report());
    for foreign in [
        "<img",
        "<y>",
        "<one>",
        "<of>",
        "Load <1>",
        "<chapter>",
        "</script><b>",
    ] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.contains("<code>x &lt; y</code>"));
    assert!(page.contains("Another &lt;chapter&gt;"));
    // Each script that is opened is closed, and nothing else closes one.
    assert_eq!(
        page.matches("<script").count(),
        page.matches("</script>").count()
    );
}

#[test]
fn the_record_survives() {
    let page = page(&report());
    let (_, rest) = page.split_once("id=\"recorded\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    let runs: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(runs[0]["computation"], "</script><b>");
    let record = schedule().record;
    assert_eq!(
        runs[0]["steps"].as_array().unwrap().len(),
        record.steps.len()
    );
    assert_eq!(
        runs[0]["steps"],
        serde_json::to_value(&record.steps).unwrap()
    );
}

/// The page stands alone: it loads nothing, and links only to itself and its own data.
#[test]
fn no_external_resource() {
    let page = page(&report());
    for attribute in ["href=\"", "src=\""] {
        for (_, address) in page
            .match_indices(attribute)
            .map(|(at, _)| page.split_at(at + attribute.len()))
        {
            assert!(
                address.starts_with('#') || address.starts_with("data:"),
                "{}",
                &address[..40]
            );
        }
    }
    for loader in ["@import", "url(http", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!page.contains(loader), "{loader}");
    }
    // The SVG namespace is an address that no browser requests.
    let addresses = page.matches("http").count();
    assert_eq!(
        addresses,
        page.matches("http://www.w3.org/2000/svg").count()
    );
}

#[test]
fn every_link_has_its_target() {
    let page = page(&report());
    for (at, _) in page.match_indices("href=\"#") {
        let id = page[at + 7..].split('"').next().unwrap();
        assert!(page.contains(&format!("id=\"{id}\"")), "#{id}");
    }
}

#[test]
fn identifiers_are_unique() {
    let page = page(&report());
    let mut ids: Vec<&str> = page
        .match_indices(" id=\"")
        .map(|(at, _)| page[at + 5..].split('"').next().unwrap())
        .collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

/// Every outcome has its row, its sign and its place in the count.
#[test]
fn outcomes_are_three() {
    let page = page(&report());
    for shown in [
        "✓ holds",
        "✗ does not hold",
        "? undecided",
        "1 of 3 claims hold, 1 does not, 1 is undecided",
        "<strong>2</strong> of <strong>6</strong> claims hold, 2 do not, 2 are undecided.",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
    assert_eq!(page.matches("class=\"open\"").count(), 3);
}

#[test]
fn the_same_values_give_the_same_bytes() {
    assert_eq!(page(&report()), page(&report()));
}

/// Where the measured chapters are left out, nothing of them remains but whole lines.
#[test]
fn measured_values_stay_on_their_lines() {
    let mut other = report();
    other.chapters[1].claims[0].found = "something else".to_owned();
    other.chapters[1].claims[0].measured = None;
    let repeatable = |report| {
        let page = page(&report);
        let (front, _) = page
            .split_once("<section class=\"chapter\" id=\"two\"")
            .unwrap();
        let lines = front
            .lines()
            .filter(|line| !line.contains("class=\"measured"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(repeatable(report()), repeatable(other));
}

/// As many plots and points as a full report has, and more: two dozen distributions, and grids with
/// intervals.
#[test]
fn a_large_report_stays_below_ten_megabytes() {
    let mut large = report();
    let plots = (0..60).map(|at| {
        let (points, intervals) = if at < 24 { (500, false) } else { (25, true) };
        let point = |x: u32| {
            let y = f64::from(x).sqrt();
            Point {
                x: f64::from(x) / 7.0,
                y,
                interval: intervals.then_some([y - 0.1, y + 0.1]),
            }
        };
        let series = (0..6).map(|series| Series {
            name: format!("curve {series}"),
            origin: Origin::Simulated,
            points: (1..=points).map(point).collect(),
        });
        Plot {
            id: format!("plot-{at}"),
            series: series.collect(),
            ..large.chapters[0].plots[0].clone()
        }
    });
    large.chapters[0].plots = plots.collect();
    let size = page(&large).len();
    assert!(size < 10_000_000, "{size} bytes");
}
