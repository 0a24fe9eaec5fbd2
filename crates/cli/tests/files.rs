//! Files that are written: whole, and only where a regular file is or will be.

#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

const FILCH: &str = env!("CARGO_BIN_EXE_filch");
const NATURAL: &str = "natural --processors 4 --lambda 0.5 --steps 100 --json";
const SHOW: &str = "dag show --family figure1 --scheduler greedy --processors 2 --json";

fn filch(args: &str, folder: &Path) -> Output {
    let mut command = Command::new(FILCH);
    command.args(args.split_whitespace()).current_dir(folder);
    command.stdin(Stdio::null()).output().expect("filch runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("filch writes UTF-8")
}

/// The two arguments that name a file, and how its content begins.
fn writers() -> [(String, &'static str); 2] {
    [
        (format!("{NATURAL} --trace"), "replication,step,load\n"),
        (format!("{SHOW} --svg"), "<svg "),
    ]
}

/// A link stays a link, and the file that it leads to gets the content.
#[test]
fn links_are_followed() {
    for (args, beginning) in writers() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::write(at("there"), "old").unwrap();
        symlink("there", at("link")).unwrap();
        symlink("yet-to-be", at("new")).unwrap();
        for (link, target) in [("link", "there"), ("new", "yet-to-be")] {
            let output = filch(&format!("{args} {link}"), home.path());
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            assert!(at(link).symlink_metadata().unwrap().is_symlink(), "{link}");
            assert!(
                fs::read_to_string(at(target))
                    .unwrap()
                    .starts_with(beginning)
            );
        }
    }
}

/// A pipe is written to and stays a pipe.
#[test]
fn pipes_are_written_in_place() {
    for (args, beginning) in writers() {
        let home = tempfile::tempdir().unwrap();
        let pipe = home.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || {
                let mut content = String::new();
                let mut file = fs::File::open(pipe).unwrap();
                file.read_to_string(&mut content).unwrap();
                content
            }
        });
        let output = filch(&format!("{args} pipe"), home.path());
        let stays = pipe.symlink_metadata().unwrap().file_type().is_fifo();
        assert!(stays, "the pipe was replaced by another file");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(reader.join().unwrap().starts_with(beginning));
    }
}

/// A device stays a device. It is reached by a link, which is what a program would harm that
/// replaced the file of this name.
#[test]
fn devices_are_written_in_place() {
    for (args, _) in writers() {
        let home = tempfile::tempdir().unwrap();
        let link = home.path().join("null");
        symlink("/dev/null", &link).unwrap();
        let output = filch(&format!("{args} null"), home.path());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert!(
            fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
    }
}

/// Standard output may be a regular file that the shell holds: both contents are in it.
#[test]
#[cfg(target_os = "linux")]
fn standard_output_is_written_in_place() {
    for (args, beginning) in writers() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        let status = Command::new(FILCH)
            .args(format!("{args} /dev/stdout").split_whitespace())
            .stdout(fs::File::create(&out).unwrap())
            .status()
            .unwrap();
        assert!(status.success());
        let content = fs::read_to_string(&out).unwrap();
        assert!(
            content.starts_with(beginning) && content.ends_with("}\n"),
            "{content}"
        );
    }
}

/// Where a file becomes too large there is none, or the old one; nor does the message name a
/// temporary file.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_no_part_of_a_file() {
    for (args, _) in writers() {
        for before in [None, Some("old")] {
            let home = tempfile::tempdir().unwrap();
            let file = home.path().join("file");
            if let Some(old) = before {
                fs::write(&file, old).unwrap();
            }
            // Four blocks of 512 bytes, and an error instead of a signal beyond them.
            let script = "trap '' XFSZ; ulimit -f 1; exec \"$@\"";
            let steps = args.replace("--steps 100", "--steps 9000");
            let output = Command::new("bash")
                .args(["-c", script, "bash", FILCH])
                .args(format!("{steps} file").split_whitespace())
                .current_dir(home.path())
                .output()
                .unwrap();
            let line = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{line}");
            assert!(
                line.contains(": cannot write 'file': File too large"),
                "{line}"
            );
            assert!(!line.contains(".tmp"), "{line}");
            assert_eq!(fs::read_to_string(&file).ok().as_deref(), before);
        }
    }
}

/// A report replaces the whole report before it, and nothing else in the folder.
#[test]
fn no_file_of_an_older_report_stays() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join("d").join(name);
    fs::create_dir(home.path().join("d")).unwrap();
    let old = r#"{"chapters":[{"plots":[{"id":"older-plot"},{"id":"../outside"}]}]}"#;
    for (name, content) in [
        ("report.json", old),
        ("older-plot.csv", "old"),
        ("mine.csv", "mine"),
        ("../outside.csv", "mine"),
    ] {
        fs::write(at(name), content).unwrap();
    }
    let output = filch("reproduce --sketch --json --out d", home.path());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(!at("older-plot.csv").exists());
    for name in ["mine.csv", "../outside.csv"] {
        assert_eq!(fs::read_to_string(at(name)).unwrap(), "mine");
    }
}
