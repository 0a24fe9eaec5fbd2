//! Compiles and runs the Rust blocks of the READMEs and of two pages, with the other doc-tests.
//!
//! They are here because a published package cannot reach files outside its own folder.

macro_rules! pages {
    ($($name:ident: $file:literal,)*) => {$(
        #[cfg(doctest)]
        #[doc = include_str!($file)]
        struct $name;
    )*};
}

pages! {
    Root: "../README.md",
    Balance: "../crates/balance/README.md",
    Experiments: "../crates/experiments/README.md",
    Policy: "../crates/policy/README.md",
    Profile: "../crates/profile/README.md",
    Random: "../crates/random/README.md",
    Relay: "../crates/relay/README.md",
    Report: "../crates/report/README.md",
    Runtime: "../crates/runtime/README.md",
    Sim: "../crates/sim/README.md",
    Stats: "../crates/stats/README.md",
    Theory: "../crates/theory/README.md",
    Workload: "../crates/workload/README.md",
    Threads: "../docs/threads.md",
    TutorialThreads: "../docs/tutorial-threads.md",
}
