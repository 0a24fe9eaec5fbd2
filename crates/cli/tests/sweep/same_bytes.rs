//! Threads, shards, stops and damage do not change the bytes of the results.

use super::*;

/// Every model, one and two threads, cuts into 1, 2, 3 and 7 shards, run and copied in any order.
#[test]
fn any_number_of_threads_and_shards_gives_the_same_bytes() {
    let farm = "model = \"dispatch\"\nreplications = 2\n[grid]\nservers = [\"a=3@1,b=2@4\"]\n\
                policy = [\"pi\", \"jsq:2\"]\nload = [0.5, 0.7]\nslots = 500\n";
    let fleet = "model = \"fleet\"\nuntil = \"20%\"\nreplications = 3\n[grid]\nservers = [1, 3]\n\
                 lambda = [0.5, 0.8]\npolicy = \"random\"\ntime = 60\n";
    let dag = "model = \"dag\"\n[grid]\nfamily = [\"fib:8\", \"figure1\"]\n\
               scheduler = [\"greedy\", \"stealing\"]\nprocessors = [1, 3]\n";
    let limit =
        "model = \"limit supermarket\"\n[grid]\nlambda = [0.5, 0.9]\nmemory = [false, true]\n";
    for sweep in [SMALL, farm, fleet, dag, limit] {
        let home = home(sweep);
        let home = home.path();
        let one = summary(
            home,
            &[
                "sweep",
                "sweep.toml",
                "--out",
                "one",
                "--threads",
                "1",
                "--json",
            ],
        );
        summary(
            home,
            &[
                "sweep",
                "sweep.toml",
                "--out",
                "two",
                "--threads",
                "2",
                "--json",
            ],
        );
        let expected = results(&home.join("one"));
        assert_eq!(expected, results(&home.join("two")));
        // All models are cut alike.
        let cuts: &[u64] = if sweep == SMALL { &[1, 2, 3, 7] } else { &[3] };
        for &of in cuts {
            let folder = format!("cut-{of}");
            for number in (1..=of).rev() {
                let shard = format!("{number}/{of}");
                // Every other shard on a machine of its own.
                let out = if number % 2 == 0 {
                    folder.clone()
                } else {
                    format!("{folder}/{number}")
                };
                let part = summary(
                    home,
                    &[
                        "sweep",
                        "sweep.toml",
                        "--shard",
                        &shard,
                        "--out",
                        &out,
                        "--json",
                    ],
                );
                assert_eq!(part["plan"], one["plan"]);
            }
            let merged = summary(home, &["merge", &folder, "--json"]);
            assert_eq!(merged["rows"], one["rows"]);
            assert!(
                results(&home.join(&folder)) == expected,
                "{of} shards of {sweep}"
            );
        }
    }
}

/// Rows in a journal that is being written: the records with the mark of a row.
fn rows_in(journal: &Path) -> usize {
    let Ok(bytes) = fs::read(journal) else {
        return 0;
    };
    let mut rest = bytes.get(27..).unwrap_or(&[]);
    let mut rows = 0;
    while let Some(length) = rest.first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some(record) = rest.get(..8 + length) else {
            break;
        };
        rows += usize::from(record[8] == b'R');
        rest = &rest[8 + length..];
    }
    rows
}

/// Waits until a journal has as many rows, or the process has ended.
fn wait_for(rows: usize, journal: &Path, process: &mut Child) {
    while rows_in(journal) < rows && process.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Killed at several moments, a sweep goes on: what was in the journal when it was killed is not
/// computed again, and the results have the same bytes.
#[test]
fn a_killed_sweep_goes_on() {
    let home = home(LONG);
    let home = home.path();
    let whole = summary(home, &["sweep", "sweep.toml", "--out", "whole", "--json"]);
    let all = whole["rows"].as_u64().unwrap() as usize;
    assert_eq!(all, 240);
    let journal = home.join("killed/shard-1-of-1.rows");
    let mut kills = 0;
    for moment in [0, 1, 30, 31, 90, 150, 220] {
        let mut process = command(
            home,
            &["sweep", "sweep.toml", "--out", "killed", "--threads", "2"],
        )
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
        wait_for(moment, &journal, &mut process);
        // `kill` is SIGKILL; a sweep that was faster has ended by itself.
        let _ = process.kill();
        kills += usize::from(!process.wait().unwrap().success());
        assert!(rows_in(&journal) >= moment.min(all));
    }
    assert!(kills >= 1, "every sweep ended before it was killed");
    let before = rows_in(&journal);
    let rest = summary(home, &["sweep", "sweep.toml", "--out", "killed", "--json"]);
    assert_eq!(rest["computed"].as_u64().unwrap() as usize, all - before);
    assert_eq!(rows_in(&journal), all);
    assert!(results(&home.join("whole")) == results(&home.join("killed")));
    // Finished: nothing is computed, and every byte stays.
    let again = summary(home, &["sweep", "sweep.toml", "--out", "killed", "--json"]);
    assert_eq!(again["computed"], 0);
    assert!(results(&home.join("whole")) == results(&home.join("killed")));
}

/// A journal that is cut anywhere, or of which a byte is changed, is not merged. The sweep
/// goes on from it and gives the same bytes, or refuses a damaged head.
#[test]
fn damage_is_noticed() {
    let home = home("model = \"limit supermarket\"\n[grid]\nlambda = [0.2, 0.4]\nchoices = 1\n");
    let home = home.path();
    summary(home, &["sweep", "sweep.toml", "--out", "whole", "--json"]);
    let expected = results(&home.join("whole"));
    let name = "shard-1-of-1.rows";
    let good = fs::read(home.join("whole").join(name)).unwrap();
    let folder = home.join("damaged");
    fs::create_dir(&folder).unwrap();
    // A sample of places; the journal's own tests try every length and every bit.
    let first_row = 27 + 8 + u32::from_le_bytes(good[27..31].try_into().unwrap()) as usize;
    let places = (0..first_row)
        .step_by(61)
        .chain((first_row..good.len()).step_by(11));
    let mut went_on = 0;
    for at in places {
        let mut flipped = good.clone();
        flipped[at] ^= 0x10;
        for damaged in [&good[..at], &flipped] {
            for file in ["rows.parquet", "rows.csv", "manifest.json"] {
                let _ = fs::remove_file(folder.join(file));
            }
            fs::write(folder.join(name), damaged).unwrap();
            let lines = refused(home, &["merge", "damaged"]);
            assert!(lines[0].contains(name), "{lines:?}");
            assert!(
                ["is damaged", "is not finished"]
                    .iter()
                    .any(|word| lines[0].contains(word)),
                "{lines:?}"
            );
            assert_eq!(
                fs::read_dir(&folder).unwrap().count(),
                1,
                "nothing is written"
            );
            let output = filch(home, &["sweep", "sweep.toml", "--out", "damaged", "--json"]);
            if output.status.success() {
                went_on += 1;
                assert!(results(&folder) == expected, "{at}");
            } else {
                let error = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(
                    at < first_row && error.contains("is damaged at its head"),
                    "{at}: {error}"
                );
            }
        }
    }
    assert!(went_on > 12, "{went_on}");
}

/// A second process in the same folder is refused while the first one runs.
#[test]
fn one_process_at_a_time() {
    // More than a minute of work, of which little is done.
    let home = home(&LONG.replace("replications = 40", "replications = 20000"));
    let home = home.path();
    let journal = home.join("out/shard-1-of-1.rows");
    let mut first = command(
        home,
        &["sweep", "sweep.toml", "--out", "out", "--threads", "1"],
    )
    .stdout(Stdio::null())
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    wait_for(1, &journal, &mut first);
    let second = filch(home, &["sweep", "sweep.toml", "--out", "out"]);
    assert_eq!(first.try_wait().unwrap(), None, "the first one still runs");
    first.kill().unwrap();
    first.wait().unwrap();
    let error = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(2), "{error}");
    assert!(
        error.contains("is being written by another process"),
        "{error}"
    );
}
