//! `filch profile`, on a profile that is written down by hand.

use std::path::Path;
use std::process::Command;

use filch_profile::{
    Dag, Duration, Ending, Frame, Kind, Profile, Program, Recording, Section, Site, SiteId, Step,
    Task, Usage,
};
use serde_json::Value;

/// A tree of 2¹⁰ leaves of 10 µs, after 1 ms of serial time.
fn profile(place: Option<(String, u32)>) -> Profile {
    tree(place, 10)
}

fn tree(place: Option<(String, u32)>, levels: u32) -> Profile {
    let mut dag = Dag::default();
    let mut root = dag.add(Task::new(vec![Step::Work(Duration::from_nanos(10_000))]));
    for _ in 0..levels {
        let join = Step::Join {
            site: SiteId(1),
            first: root,
            second: root,
        };
        root = dag.add(Task::new(vec![join]));
    }
    let site = |kind, function: &str| Site {
        kind,
        frames: vec![Frame {
            function: function.to_owned(),
            place: place.clone(),
        }],
        user: Some(0),
        closure: String::new(),
        forks: 1023,
        steals: 5,
    };
    let section = Section {
        site: SiteId(0),
        entered: Duration::from_nanos(1_000_000),
        left: Duration::from_nanos(1_000_000 + (10_000 << levels)),
        caller: 0,
        is_awaited: true,
        root,
        measures: dag.measures(root),
        steals: 5,
    };
    Profile {
        program: Program {
            command: vec!["tree".to_owned(), "a\u{1b}b".to_owned()],
            threads: 1,
            processors: 2,
            wall: section.left,
            usage: None,
        },
        recording: Recording {
            ending: Ending::Whole,
            clock: Duration::ZERO,
            fork: Duration::ZERO,
            spent: Duration::from_nanos(1_024_000),
            tolerance: 0.0,
            stretches_kept: (0, 0),
        },
        sites: vec![site(Kind::Install, "main"), site(Kind::Join, "tree::grow")],
        dag,
        sections: vec![section],
        stretches: Vec::new(),
    }
}

const COSTS: [&str; 2] = ["--costs", "10ns,1us,50us"];

/// Runs `filch profile tree.profile` with these arguments in `folder`.
fn filch(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_filch"))
        .args(["profile", "tree.profile"])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    (output.status.code().unwrap(), out, err)
}

fn recorded() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let place = Some(("src/tree.rs".to_owned(), 12));
    profile(place)
        .write(home.path().join("tree.profile"))
        .unwrap();
    home
}

#[test]
fn a_profile_is_summed_up() {
    let home = recorded();
    let (code, page, errors) = filch(home.path(), &COSTS);
    assert_eq!((code, errors.as_str()), (0, ""), "{page}");
    for part in [
        r"tree a\u{1b}b",
        "recorded on 1 thread of 2 processors in 11.2 ms; recording took 9.1 % of the workers' time",
        "work 10.2 ms in 1 section, span 10.0 µs, burdened 20.0 µs; outside of them 1.00 ms",
        "1023 forks, 5 steals, mean grain 10.0 µs",
        "costs as given: fork 10.0 ns, steal 1.00 µs, wake-up 50.0 µs",
        "tree::grow (src/tree.rs:12)",
        "outside of sections",
        "hint: 8.9 % of the time is serial: that alone limits the speed-up to",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains("no lines are known"), "{page}");
    let (_, again, _) = filch(home.path(), &COSTS);
    assert_eq!(page, again);
    let threads = [&COSTS[..], &["--threads", "1"]].concat();
    assert_eq!(page, filch(home.path(), &threads).1);
}

#[test]
fn the_answer_as_json() {
    let home = recorded();
    let args = [&COSTS[..], &["--json", "--processors", "1,2,4"]].concat();
    let (code, text, errors) = filch(home.path(), &args);
    assert_eq!((code, errors.as_str()), (0, ""));
    let answer: Value = serde_json::from_str(&text).unwrap();
    let rows = answer["predictions"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    // The serial time and 1024 leaves.
    let serial = 1e-3 + 1024.0 * 10e-6;
    let time = rows[0]["time"].as_f64().unwrap();
    assert!((time / serial - 1.0).abs() < 1e-9, "{time}");
    assert!(rows[2]["speed_up"].as_f64().unwrap() > 3.0);
    assert_eq!(answer["sites"][1]["place"], "tree::grow (src/tree.rs:12)");
    assert_eq!(answer["critical_path"][0]["site"], Value::Null);
    assert_eq!(answer["what_if"], Value::Null);
}

#[test]
fn what_if_is_asked_of_a_site() {
    let home = recorded();
    let time = |change: &[&str]| {
        let args = [&COSTS[..], &["--json", "--processors", "1"], change].concat();
        let (code, text, errors) = filch(home.path(), &args);
        assert_eq!((code, errors.as_str()), (0, ""));
        let answer: Value = serde_json::from_str(&text).unwrap();
        answer["what_if"]["predictions"][0]["time"]
            .as_f64()
            .unwrap()
    };
    let close = |time: f64, to: f64| assert!((time / to - 1.0).abs() < 1e-9, "{time} and {to}");
    let leaves = 10.24e-3;
    close(time(&["--site", "1", "--faster", "2"]), 1e-3 + leaves / 2.0);
    // 512 leaves begin with a fork that is gone then.
    close(time(&["--site", "1", "--serial"]), 1e-3 + leaves - 5.12e-6);
    // 20 µs are less than 25 µs: 512 forks are gone.
    close(
        time(&["--site", "1", "--cut-off", "25us"]),
        1e-3 + leaves - 5.12e-6,
    );
    let args = [&COSTS[..], &["--site", "1", "--serial"]].concat();
    let (_, page, _) = filch(home.path(), &args);
    assert!(
        page.contains("what if: site 1, tree::grow (src/tree.rs:12), does not fork"),
        "{page}"
    );
}

#[test]
fn the_dag_is_exported_and_runs() {
    let home = recorded();
    let args = [&COSTS[..], &["--section", "0", "--export-dag", "tree.json"]].concat();
    let (code, page, errors) = filch(home.path(), &args);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(page.contains("section 0: main (src/tree.rs:12)"), "{page}");
    let output = Command::new(env!("CARGO_BIN_EXE_filch"))
        .args([
            "dag",
            "run",
            "--file",
            "tree.json",
            "--scheduler",
            "hand-over",
        ])
        .args(["--processors", "4", "--json"])
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn without_lines_there_is_a_hint() {
    let home = tempfile::tempdir().unwrap();
    profile(None)
        .write(home.path().join("tree.profile"))
        .unwrap();
    let (_, page, _) = filch(home.path(), &COSTS);
    assert!(
        page.contains(
            "no lines are known: build with CARGO_PROFILE_RELEASE_DEBUG=line-tables-only"
        ),
        "{page}"
    );
}

#[test]
fn a_disturbed_recording_is_noticed() {
    let home = recorded();
    let hint = "other programs ran beside it: its threads had no processor for 50 % of their time";
    assert!(!filch(home.path(), &COSTS).1.contains(hint));
    let mut profile = profile(None);
    profile.program.usage = Some(Usage {
        processor: Duration::from_nanos(6_132_000),
        preemptions: 5,
    });
    profile.write(home.path().join("tree.profile")).unwrap();
    let (_, page, _) = filch(home.path(), &COSTS);
    assert!(page.contains(hint), "{page}");
}

/// Forks of 10 ns for 10 µs of work take little, and those of 2 µs do not.
#[test]
fn a_cut_off_is_proposed_with_its_gain() {
    let home = recorded();
    let place = Some(("src/tree.rs".to_owned(), 12));
    let large = tree(place, 14);
    large.write(home.path().join("tree.profile")).unwrap();
    assert!(!filch(home.path(), &COSTS).1.contains("--cut-off"));
    let (_, page, _) = filch(home.path(), &["--costs", "2us,2us,50us"]);
    let hint = page
        .lines()
        .find(|line| line.contains("--cut-off"))
        .unwrap();
    assert!(
        hint.starts_with("hint: site 1 forks every 10.0 µs: forks take 20 % of its time;"),
        "{hint}"
    );
    let (_, said) = hint.split_once("--cut-off ").unwrap();
    let (least, place) = said.split_once(")  ").unwrap();
    assert_eq!(place, "tree::grow (src/tree.rs:12)");
    let change = ["--site", "1", "--cut-off", least, "--processors", "2"];
    let args = [&["--costs", "2us,2us,50us"][..], &change].concat();
    let (_, changed, errors) = filch(home.path(), &args);
    let (_, gain) = hint.split_once("gains ").unwrap();
    let (gain, _) = gain.split_once(" × on 2 processors").unwrap();
    assert!(
        changed.contains(&format!("{gain} ×")),
        "{hint}\n{changed}{errors}"
    );
}

/// A site in an unrolled loop has several addresses and one line.
#[test]
fn a_line_is_one_site() {
    let home = recorded();
    let mut profile = profile(Some(("src/tree.rs".to_owned(), 12)));
    profile.sites.push(profile.sites[0].clone());
    let mut again = profile.sections[0].clone();
    again.site = SiteId(2);
    (again.entered, again.left) = (again.left, again.left + again.left);
    profile.program.wall = again.left;
    profile.sections.push(again);
    profile.write(home.path().join("tree.profile")).unwrap();
    let json = |more: &[&str]| -> Value {
        let args = [&COSTS[..], &["--json", "--processors", "1"], more].concat();
        serde_json::from_str(&filch(home.path(), &args).1).unwrap()
    };
    let whole = json(&[]);
    assert_eq!(whole["sites"].as_array().unwrap().len(), 2);
    assert_eq!(whole["sites"][0]["occurrences"], 2);
    assert_eq!(whole["sites"][1]["forks"], 1023);
    // Forks and steals of sites are counted for the whole program.
    let second = json(&["--section", "1"]);
    assert_eq!(second["sites"][1]["forks"], Value::Null);
    assert_eq!(second["steals"], 5);
}

#[test]
fn a_program_that_divides_by_threads_is_noticed() {
    let home = recorded();
    let hint = "the parallelism of its sections is about the number of threads";
    assert!(!filch(home.path(), &COSTS).1.contains(hint));
    let mut profile = profile(None);
    profile.program.threads = 1000;
    profile.write(home.path().join("tree.profile")).unwrap();
    assert!(filch(home.path(), &COSTS).1.contains(hint));
}

#[test]
fn bad_input_gets_one_line() {
    let home = recorded();
    for (args, message) in [
        (
            &["--section", "1"][..],
            "--section 1: no such section: they go from 0 to 0",
        ),
        (&["--site", "7", "--serial"], "--site 7: no such site"),
        (
            &["--site", "1"],
            "--faster <K> or --serial or --cut-off <TIME> is missing",
        ),
        (&["--serial"], "--site"),
        (&["--site", "1", "--serial", "--faster", "2"], "--serial"),
        (&["--processors", "0"], "from 1 to 4096"),
        (&["--processors", "-1"], "from 1 to 4096"),
        (&["--site", "1", "--faster", "-1"], "'-1'"),
        (&["--site", "1", "--cut-off", "-1us"], "'-1us' is no time"),
        (&["--cut-off", "10", "--site", "1"], "'10' is no time"),
        (&["--costs", "1us,1us"], "is not three times"),
        (
            &["--costs", "1us,2us,1us"],
            "a wake-up takes at least as long as a steal",
        ),
        (&["--export-dag", "."], "--export-dag"),
    ] {
        let (code, out, err) = filch(home.path(), args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(err.contains(message), "{args:?}: {err}");
    }
    std::fs::write(home.path().join("tree.profile"), "no profile").unwrap();
    let (code, _, err) = filch(home.path(), &[]);
    assert_eq!(code, 2);
    assert!(
        err.starts_with("filch: cannot read 'tree.profile': "),
        "{err}"
    );
    std::fs::remove_file(home.path().join("tree.profile")).unwrap();
    let (code, _, err) = filch(home.path(), &[]);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
}
