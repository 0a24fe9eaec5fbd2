//! `FILCH_PROFILE` names a file, and however the process ends, a profile is in it.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::thread;
use std::time::{Duration, Instant};

use common::{assert_success, in_child, role};
use filch::profile::{Ending, Profile};
use filch::{Pool, join};

/// How long a process may run before its first fork.
const LATE: Duration = Duration::from_millis(40);

/// More than the time between two writes.
const LONGER_THAN_A_PAUSE: Duration = Duration::from_millis(150);

/// Jobs on their own, and how long each takes.
const JOBS: u32 = 16;
const JOB: Duration = Duration::from_millis(4);

/// The process as the role says. Most have a section with three forks first.
fn act(role: &str) {
    if matches!(role, "comes late" | "sleeps") {
        thread::sleep(LATE);
    }
    if role != "spawns jobs" {
        fork_thrice();
    }
    match role {
        "returns" | "comes late" | "sleeps" => {}
        "exits" => std::process::exit(0),
        "exits in a job" => {
            let exit = || std::process::exit(0);
            let ((), ()) = join(exit, || thread::sleep(Duration::from_secs(60)));
        }
        "panics" => panic!("on purpose"),
        "is killed" => {
            thread::sleep(LONGER_THAN_A_PAUSE);
            fork_thrice();
            let own = std::process::id().to_string();
            let _ended = std::process::Command::new("kill")
                .args(["-9", &own])
                .status();
            thread::sleep(Duration::from_secs(60));
        }
        "spawns jobs" => {
            let pool = Pool::new(2).unwrap();
            let jobs: Vec<_> = (0..JOBS)
                .map(|_| pool.spawn(|| thread::sleep(JOB)))
                .collect();
            for job in jobs {
                job.join().unwrap();
            }
        }
        "spins" => {
            let begin = Instant::now();
            while begin.elapsed() < LATE {
                std::hint::spin_loop();
            }
        }
        "uses several pools" => {
            for threads in [3, 1] {
                let pool = Pool::new(threads).unwrap();
                pool.install(fork_thrice);
                pool.join(fork_thrice, fork_thrice);
            }
        }
        other => unreachable!("{other}"),
    }
}

fn fork_thrice() {
    join(|| join(|| (), || ()), || join(|| (), || ()));
}

fn path_of(role: &str) -> PathBuf {
    let name = format!(
        "filch-{}-{}.profile",
        std::process::id(),
        role.replace(' ', "-")
    );
    std::env::temp_dir().join(name)
}

/// Runs the test `name` again in that role, and reads what it recorded.
fn recorded(name: &str, role: &str) -> (Output, Profile) {
    let path = path_of(role);
    let environment = [
        ("FILCH_PROFILE", path.to_str().expect("a path of ours")),
        ("FILCH_NUM_THREADS", "2"),
    ];
    let output = in_child(name, role, &environment);
    let profile = Profile::read(&path);
    let _removed = std::fs::remove_file(&path);
    match profile {
        Ok(profile) => (output, profile),
        Err(error) => panic!("{role}: {error}"),
    }
}

fn forks(profile: &Profile) -> Vec<u64> {
    let sections = profile.sections.iter();
    sections.map(|section| section.measures.forks).collect()
}

#[test]
fn a_process_that_ends_by_itself_leaves_a_whole_profile() {
    if let Some(role) = role() {
        return act(&role);
    }
    let name = "a_process_that_ends_by_itself_leaves_a_whole_profile";
    for role in ["returns", "exits", "exits in a job", "panics"] {
        let (output, profile) = recorded(name, role);
        assert_eq!(output.status.success(), role != "panics", "{role}");
        // A section that has not returned is not there, and that is said.
        let ending = match role {
            "exits in a job" => Ending::CutShort,
            _ => Ending::Whole,
        };
        assert_eq!(profile.recording.ending, ending, "{role}");
        assert_eq!(forks(&profile), [3], "{role}");
        assert_eq!(profile.program.threads, 2);
        assert!(profile.program.command.iter().any(|word| word == name));
        assert!(!profile.stretches.is_empty());
    }
}

#[test]
#[cfg(unix)]
fn a_process_that_is_killed_leaves_what_it_had_written() {
    if let Some(role) = role() {
        return act(&role);
    }
    let name = "a_process_that_is_killed_leaves_what_it_had_written";
    let (output, profile) = recorded(name, "is killed");
    assert!(!output.status.success());
    assert_eq!(profile.recording.ending, Ending::CutShort);
    assert_eq!(forks(&profile), [3, 3]);
    let site = profile.sections[0].site;
    assert!(profile.sites.len() > site.0 as usize);
}

/// "Load the input, then iterate over it": what comes first is serial time of the program.
#[test]
fn what_runs_before_the_first_pool_is_in_the_profile() {
    if let Some(role) = role() {
        return act(&role);
    }
    let name = "what_runs_before_the_first_pool_is_in_the_profile";
    let (_, profile) = recorded(name, "comes late");
    let entered = profile.sections[0].entered;
    assert!(entered.seconds() >= LATE.as_secs_f64(), "{entered:?}");
    assert!(profile.program.wall > entered);
}

/// While one worker would write, the other goes on: the clock must not stand still.
#[test]
fn jobs_take_no_less_time_than_they_can() {
    if let Some(role) = role() {
        return act(&role);
    }
    let (_, profile) = recorded("jobs_take_no_less_time_than_they_can", "spawns jobs");
    assert_eq!(profile.sections.len(), JOBS as usize);
    let least = JOB.as_secs_f64() * f64::from(JOBS) / 2.0;
    let wall = profile.program.wall.seconds();
    assert!(
        wall >= least,
        "{wall} s for {least} s of work on each worker"
    );
    for section in &profile.sections {
        assert!(section.left <= profile.program.wall, "{section:?}");
    }
}

#[test]
#[cfg(unix)]
fn what_the_process_used_of_its_processors_is_in_the_profile() {
    if let Some(role) = role() {
        return act(&role);
    }
    let name = "what_the_process_used_of_its_processors_is_in_the_profile";
    let (_, profile) = recorded(name, "spins");
    let spun = profile.program.usage.expect("the system says it").processor;
    // On a busy machine it had a part of the time only.
    assert!(spun.seconds() > LATE.as_secs_f64() / 10.0, "{spun:?}");
    assert!(
        spun.seconds() < 2.5 * profile.program.wall.seconds(),
        "{spun:?}"
    );
    let (_, profile) = recorded(name, "sleeps");
    let slept = profile.program.usage.expect("the system says it").processor;
    assert!(slept.seconds() < LATE.as_secs_f64(), "{slept:?}");
}

#[test]
fn all_pools_are_in_one_profile() {
    if let Some(role) = role() {
        return act(&role);
    }
    let (output, profile) = recorded("all_pools_are_in_one_profile", "uses several pools");
    assert_success("uses several pools", &output);
    assert_eq!(forks(&profile), [3, 3, 7, 3, 7]);
    assert_eq!(profile.program.threads, 3);
}

#[test]
fn a_file_that_cannot_be_written_is_told_and_the_program_runs() {
    if let Some(role) = role() {
        return act(&role);
    }
    let name = "a_file_that_cannot_be_written_is_told_and_the_program_runs";
    let path = Path::new("/no such folder/profile");
    let environment = [("FILCH_PROFILE", path.to_str().expect("a path of ours"))];
    let output = in_child(name, "returns", &environment);
    assert_success("returns", &output);
    let said = String::from_utf8_lossy(&output.stderr);
    let told = said.lines().find(|line| line.contains("FILCH_PROFILE"));
    assert!(
        told.is_some_and(|line| line.contains("/no such folder/profile")),
        "{said}"
    );
}

#[test]
fn recording_spends_no_more_time_than_there_was() {
    fn fib(n: u32) -> u64 {
        if n < 2 {
            return n.into();
        }
        let (a, b) = join(|| fib(n - 1), || fib(n - 2));
        a + b
    }
    let pool = Pool::new(1).unwrap();
    // Most of its forks are counted and not timed, which takes much less.
    let (_, profile) = pool.profile(|| fib(24));
    let section = &profile.sections[0];
    let took = section.left - section.entered;
    let spent = profile.recording.spent;
    assert!(spent.picos() > 0);
    assert!(
        spent + section.measures.work <= took,
        "{spent:?} beside {:?} of work in {took:?}",
        section.measures.work
    );
}
