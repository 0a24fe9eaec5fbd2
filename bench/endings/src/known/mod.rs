//! Programs from reports, and programs on which one of the cores has hung.

mod blocking;
mod calls;
mod indices;
mod locks;
mod stacks;

use std::process::ExitCode;
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::ending::{Ending, Printer};

/// How long a program may take. Each takes less than a second on an idle machine.
const LIMIT: Duration = Duration::from_secs(20);

/// A program, for some number of threads.
struct Known {
    name: &'static str,
    /// Where it was reported, or what it shows.
    about: &'static str,
    threads: &'static [usize],
    run: fn(usize),
}

const fn known(
    name: &'static str,
    about: &'static str,
    threads: &'static [usize],
    run: fn(usize),
) -> Known {
    Known {
        name,
        about,
        threads,
        run,
    }
}

const SOME: &[usize] = &[2, 3, 4, 8, 64];

/// All of them.
const KNOWN: &[Known] = &[
    known(
        "lock-across-iterator",
        "rayon#592",
        &[2, 4, 8],
        locks::across_an_iterator,
    ),
    known(
        "lazy-initialiser",
        "rayon#1205, rayon#1251",
        &[2, 4, 8],
        locks::lazy_initialiser,
    ),
    known("tasks-pile-up", "rayon#854", &[2, 8], stacks::tasks_pile_up),
    known(
        "bridge-inside",
        "a spawned producer, read by a bridge",
        SOME,
        blocking::bridge_inside,
    ),
    known(
        "bridge-outside",
        "the same, from outside the pool",
        SOME,
        blocking::bridge_outside,
    ),
    known(
        "bridge-handler",
        "the same, in a pool without spare threads",
        SOME,
        blocking::bridge_handler,
    ),
    known(
        "job-for-a-child",
        "a stolen child waits for a spawned job",
        SOME,
        blocking::job_for_a_child,
    ),
    known(
        "job-of-a-join",
        "a job spawned within a join, awaited after it",
        &[1, 2],
        blocking::job_of_a_join,
    ),
    known(
        "chain-of-waits",
        "more threads wait than the pool may start",
        SOME,
        blocking::chain_of_waits,
    ),
    known(
        "job-across-a-call",
        "a call waits for a job of the calling pool",
        &[1, 2],
        calls::job_across_a_call,
    ),
    known(
        "yield-under-calls",
        "a job yields to a call that needs its caller",
        &[1, 2, 3],
        calls::yield_under_calls,
    ),
    known(
        "sibling-calls",
        "two calls within one need each other's pools",
        &[1, 2, 3],
        calls::siblings,
    ),
    known(
        "spin-with-index",
        "a job with an index keeps its processor until another has run",
        &[2, 3, 8],
        indices::spin_with_index,
    ),
    known(
        "spin-with-broadcast",
        "a job has the index of a thread that is woken for a share",
        &[2, 3, 8],
        indices::spin_with_broadcast,
    ),
    known(
        "yield-with-index",
        "a job with an index yields to broadcasts",
        &[2, 3, 8],
        calls::yield_with_index,
    ),
];

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("the system gives threads")
}

/// A pool whose threads are the user's, so that there are no others.
fn pool_with_handler(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let builder = builder.spawn_handler(|thread| {
        std::thread::Builder::new().spawn(|| thread.run())?;
        Ok(())
    });
    builder.build().expect("the system gives threads")
}

/// Runs one program in this process.
pub(crate) fn run(name: &str, threads: &str) -> ExitCode {
    let known = KNOWN.iter().find(|known| known.name == name);
    let (Some(known), Ok(threads)) = (known, threads.parse()) else {
        return ExitCode::from(2);
    };
    (known.run)(threads);
    println!("done");
    ExitCode::SUCCESS
}

/// Runs the programs on both cores and prints how they end.
pub(crate) fn compare(other: &str, wanted: &[&str]) -> ExitCode {
    let own = std::env::current_exe().expect("this program has a path");
    let own = own.to_str().expect("the path is text");
    println!("| program | threads | rayon-core | filch's | |");
    println!("|---|--:|---|---|---|");
    let mut is_worse = false;
    let is_wanted = |known: &&Known| wanted.is_empty() || wanted.contains(&known.name);
    for known in KNOWN.iter().filter(is_wanted) {
        for &threads in known.threads {
            let upstream = ending(other, known, threads);
            let ours = ending(own, known, threads);
            let (name, about) = (known.name, known.about);
            println!("| {name} | {threads} | {upstream} | {ours} | {about} |");
            is_worse |= !matches!(ours, Ending::Finishes(_));
        }
    }
    if is_worse {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn ending(program: &str, known: &Known, threads: usize) -> Ending {
    let threads = threads.to_string();
    match Printer::start(program, &["run", known.name, &threads]) {
        Ok(mut printer) => printer.next(LIMIT),
        Err(error) => Ending::Dies(error.to_string()),
    }
}
