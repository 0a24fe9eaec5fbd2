//! Shards that cannot be merged are named.

use super::*;

/// A journal whose head says something else, with the right checksum.
fn with_head(journal: &[u8], field: &str, value: &Value) -> Vec<u8> {
    let (magic, rest) = journal.split_at(27);
    let length = u32::from_le_bytes(rest[..4].try_into().unwrap()) as usize;
    let mut identity: Value = serde_json::from_slice(&rest[9..8 + length]).unwrap();
    identity[field] = value.clone();
    let payload = format!("I{identity}");
    let size = (payload.len() as u32).to_le_bytes();
    let mut sum = crc32fast::Hasher::new();
    sum.update(&size);
    sum.update(payload.as_bytes());
    let sum = sum.finalize().to_le_bytes();
    [magic, &size, &sum, payload.as_bytes(), &rest[8 + length..]].concat()
}

/// Missing, double, foreign, unfinished and damaged shards: one line each, and nothing is written.
#[test]
fn what_cannot_be_merged_is_named() {
    let home = home(SMALL);
    let home = home.path();
    for number in 1..=4 {
        let shard = format!("{number}/4");
        summary(
            home,
            &[
                "sweep",
                "sweep.toml",
                "--shard",
                &shard,
                "--out",
                "parts",
                "--json",
            ],
        );
    }
    summary(home, &["sweep", "sweep.toml", "--out", "whole", "--json"]);
    let part = |number: u64| home.join(format!("parts/shard-{number}-of-4.rows"));
    let check = |expected: &[&str]| {
        let lines = refused(home, &["merge", "parts"]);
        assert_eq!(lines.len(), expected.len() + 1, "{lines:?}");
        for (line, words) in lines.iter().zip(expected) {
            assert!(
                line.starts_with("filch: ") && line.contains(words),
                "{line}"
            );
        }
        assert!(
            lines[expected.len()].ends_with("'parts' is not merged"),
            "{lines:?}"
        );
        assert!(
            !home.join("parts/rows.csv").exists() && !home.join("parts/manifest.json").exists()
        );
    };
    // Missing and double.
    fs::rename(part(2), home.join("two")).unwrap();
    fs::copy(part(3), home.join("parts/copy.rows")).unwrap();
    check(&[
        "shard-3-of-4.rows' is shard 3/4 again, after 'parts/copy.rows'",
        "shard 2/4 is missing: run",
    ]);
    fs::remove_file(home.join("parts/copy.rows")).unwrap();
    // Of another plan, and of another cut.
    summary(
        home,
        &[
            "sweep",
            "sweep.toml",
            "--seed",
            "6",
            "--shard",
            "2/4",
            "--out",
            "other",
            "--json",
        ],
    );
    fs::rename(home.join("other/shard-2-of-4.rows"), part(2)).unwrap();
    summary(
        home,
        &[
            "sweep",
            "sweep.toml",
            "--shard",
            "2/5",
            "--out",
            "parts",
            "--json",
        ],
    );
    check(&[
        "shard-2-of-4.rows' is of another plan",
        "shard-2-of-5.rows' is shard 2/5 of another cut: the others are of 4",
        "shard 2/4 is missing",
    ]);
    fs::remove_file(home.join("parts/shard-2-of-5.rows")).unwrap();
    // Of another version or build: the head says so, and its checksum is right.
    let journal = fs::read(home.join("two")).unwrap();
    for (field, value, words) in [
        (
            "version",
            Value::from("0.0.1"),
            "was made by filch 0.0.1, and not by",
        ),
        ("build", 7.into(), "was made by another build of filch"),
    ] {
        fs::write(part(2), with_head(&journal, field, &value)).unwrap();
        check(&[words, "shard 2/4 is missing"]);
        let lines = refused(
            home,
            &["sweep", "sweep.toml", "--shard", "2/4", "--out", "parts"],
        );
        assert!(
            lines[0].contains(words) && lines[0].contains("name another --out"),
            "{lines:?}"
        );
    }
    // All of another version.
    fs::create_dir(home.join("old")).unwrap();
    let whole = fs::read(home.join("whole/shard-1-of-1.rows")).unwrap();
    let old = with_head(&whole, "version", &Value::from("0.0.1"));
    fs::write(home.join("old/shard-1-of-1.rows"), old).unwrap();
    let lines = refused(home, &["merge", "old"]);
    assert!(
        lines.len() == 1 && lines[0].contains("were made by filch 0.0.1: merge them with it"),
        "{lines:?}"
    );
    // Unfinished and damaged.
    fs::write(part(2), &journal[..journal.len() - 17]).unwrap();
    check(&["is not finished, with 6 rows so far: run shard 2/4 again"]);
    fs::write(part(2), &journal[..journal.len() - 1]).unwrap();
    check(&["is damaged after 6 rows: run shard 2/4 again"]);
    fs::write(part(2), "hello").unwrap();
    check(&["is damaged at its head", "shard 2/4 is missing"]);
    // And all is well.
    fs::rename(home.join("two"), part(2)).unwrap();
    summary(home, &["merge", "parts", "--out", "merged/here", "--json"]);
    assert!(results(&home.join("merged/here")) == results(&home.join("whole")));
    fs::create_dir(home.join("empty")).unwrap();
    for (folder, words) in [
        ("empty", "there are no shards in 'empty'"),
        ("nowhere", "cannot read the folder 'nowhere'"),
    ] {
        let lines = refused(home, &["merge", folder]);
        assert!(lines.len() == 1 && lines[0].contains(words), "{lines:?}");
    }
}
