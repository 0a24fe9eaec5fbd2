//! Stacks: which calls led to a site.
//!
//! The standard library reads the stack as addresses, and finds names and lines when the backtrace
//! is printed. Its debug format is a list of `{ fn: "…", file: "…", line: … }`, and that is what is
//! read here: so no further crate has to be downloaded into the builds of users.
//!
//! | build of the program | names | lines |
//! |---|---|---|
//! | `debug = "line-tables-only"` or more | yes, of inlined calls too | yes |
//! | no debug information | of calls that were not inlined | no |
//! | `strip = true` or `"symbols"` | no; a site has the type of its closure | no |

use std::backtrace::Backtrace;
use std::borrow::Cow;
use std::hint::black_box;

use filch_profile::Frame;

#[cfg(unix)]
use super::class::mix;

/// The name of the function in which jobs begin.
const JOB: &str = "filch_job_begins";

/// How many frames a site has at most.
const MOST: usize = 256;

/// Runs a job. The stack of a site is read up to here; what forked the job continues it.
#[inline(never)]
pub(super) fn filch_job_begins<R>(job: impl FnOnce() -> R) -> R {
    let result = job();
    // No tail call: this frame stays on the stack.
    black_box(());
    result
}

/// A number by which stacks are told apart: of the return addresses on this one.
#[cfg(unix)]
#[allow(
    unsafe_code,
    reason = "functions of the unwinder, which the standard library links"
)]
pub(super) fn place() -> u64 {
    use core::ffi::{c_int, c_void};

    /// How many frames are looked at.
    const FRAMES: u32 = 64;

    struct Walk {
        hash: u64,
        frames: u32,
    }

    // Of the Itanium C++ ABI for exception handling.
    unsafe extern "C" {
        fn _Unwind_Backtrace(
            trace: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
            argument: *mut c_void,
        ) -> c_int;
        fn _Unwind_GetIP(context: *mut c_void) -> usize;
    }

    extern "C" fn trace(context: *mut c_void, walk: *mut c_void) -> c_int {
        const GO_ON: c_int = 0;
        const END_OF_STACK: c_int = 5;
        // SAFETY: the unwinder passes what `place` passes it, and calls this one frame at a time.
        let walk = unsafe { &mut *walk.cast::<Walk>() };
        // SAFETY: the context is the one that the unwinder passes.
        let address = unsafe { _Unwind_GetIP(context) };
        walk.hash = mix(walk.hash, address as u64);
        walk.frames += 1;
        if walk.frames < FRAMES {
            GO_ON
        } else {
            END_OF_STACK
        }
    }

    let mut walk = Walk { hash: 0, frames: 0 };
    // SAFETY: `trace` has the type that the ABI asks for, does not unwind, and is given the address
    // of `walk`, which lives until the call returns.
    unsafe { _Unwind_Backtrace(trace, (&raw mut walk).cast()) };
    walk.hash
}

/// Elsewhere stacks are not told apart.
#[cfg(not(unix))]
pub(super) fn place() -> u64 {
    0
}

/// The calls of a site, innermost first. Where the stack comes to the beginning of a job, those of
/// the site that forked the job follow.
pub(super) fn frames(stack: &Backtrace, enclosing: Option<&[Frame]>) -> Vec<Frame> {
    let mut frames = parse(&format!("{stack:?}"));
    let own = frames.iter().take_while(|frame| is_recorder(frame)).count();
    frames.drain(..own);
    let job = frames.iter().position(|frame| frame.function.contains(JOB));
    if let (Some(job), Some(enclosing)) = (job, enclosing) {
        frames.truncate(job);
        frames.extend_from_slice(enclosing);
    }
    frames.truncate(MOST);
    frames
}

/// The innermost call that is written in no library of ours, rayon's or Rust's.
pub(super) fn user(frames: &[Frame]) -> Option<usize> {
    frames.iter().position(|frame| !is_library(frame))
}

/// The folder of this crate's sources, as the compiler names it.
fn own_folder() -> &'static str {
    let here = file!();
    here.strip_suffix("scheduler/record/stack.rs")
        .unwrap_or(here)
}

/// The folder of `rayon-core`'s sources, beside it.
fn core_folder() -> String {
    let own = own_folder();
    match own.rfind("runtime") {
        Some(at) => format!("{}rayon-core{}", &own[..at], &own[at + "runtime".len()..]),
        None => own.to_owned(),
    }
}

/// Whether the call is one of those that read the stack.
fn is_recorder(frame: &Frame) -> bool {
    let file = frame.place.as_ref().map_or("", |(file, _)| file);
    let file = &*absolute(file);
    let is_ours = file.contains(own_folder()) && file.contains("scheduler/record");
    let is_named = frame.function.contains("filch::scheduler::record");
    !frame.function.contains(JOB) && (is_ours || is_named || is_of_rust(file))
}

/// The standard library prints what lies in the current folder relative to that.
fn absolute(file: &str) -> Cow<'_, str> {
    match (file.strip_prefix("./"), std::env::current_dir()) {
        (Some(relative), Ok(folder)) => {
            Cow::Owned(folder.join(relative).to_string_lossy().into_owned())
        }
        _ => Cow::Borrowed(file),
    }
}

fn is_of_rust(file: &str) -> bool {
    file.starts_with("/rustc/") || file.contains("/lib/rustlib/src/rust/library/")
}

fn is_library(frame: &Frame) -> bool {
    match &frame.place {
        Some((file, _)) => {
            let file = &*absolute(file);
            is_of_rust(file)
                // The system's libraries, where their debug information is installed.
                || !file.ends_with(".rs")
                || file.contains(own_folder())
                || file.contains(&core_folder())
                || file.contains("/rayon-1.")
                || file.contains("/rayon-core-1.")
        }
        None => is_library_name(&frame.function),
    }
}

/// By the crate that the path of a function begins with.
fn is_library_name(function: &str) -> bool {
    const LIBRARIES: [&str; 7] = [
        "filch",
        "rayon",
        "rayon_core",
        "core",
        "std",
        "alloc",
        "__rustc",
    ];
    let path = function.trim_start_matches(['<', '&', '*', '(']);
    let path = path.trim_start_matches("mut ").trim_start_matches("dyn ");
    let end = path.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &path[..end.unwrap_or(path.len())];
    // The system's own functions have no path.
    LIBRARIES.contains(&name) || !path.contains("::")
}

/// Reads the list that a backtrace prints. What is not understood is left out.
fn parse(text: &str) -> Vec<Frame> {
    let mut frames = Vec::new();
    for frame in text.split("{ fn: ").skip(1) {
        let Some((function, rest)) = quoted(frame) else {
            // Its name is unknown.
            continue;
        };
        let place = rest
            .strip_prefix(", file: ")
            .and_then(quoted)
            .map(|(file, rest)| {
                let line = rest.strip_prefix(", line: ").unwrap_or_default();
                let end = line
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(line.len());
                (file, line[..end].parse().unwrap_or(0))
            });
        frames.push(Frame { function, place });
    }
    frames
}

/// A quoted text, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('"')?;
    let mut content = String::new();
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return Some((content, &text[index + 1..])),
            // The paths of Windows, and quotes.
            '\\' => content.push(characters.next()?.1),
            _ => content.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, place: Option<(&str, u32)>) -> Frame {
        Frame {
            function: function.to_owned(),
            place: place.map(|(file, line)| (file.to_owned(), line)),
        }
    }

    #[test]
    fn a_printed_stack_is_read() {
        let text = r#"Backtrace [{ fn: "a::<\"x\">", file: "C:\\b.rs", line: 17 }, { fn: "main" }, { fn: <unknown> }]"#;
        let frames = [
            frame("a::<\"x\">", Some(("C:\\b.rs", 17))),
            frame("main", None),
        ];
        assert_eq!(parse(text), frames);
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            assert!(parse(&text[..end]).len() <= 2);
        }
    }

    /// What the standard library prints is what is understood.
    #[test]
    fn the_stack_here_is_read() {
        let frames = parse(&format!("{:?}", Backtrace::force_capture()));
        let here = |frame: &Frame| {
            frame.function.contains("the_stack_here_is_read")
                && frame
                    .place
                    .as_ref()
                    .is_none_or(|(file, line)| file.ends_with("stack.rs") && *line > 0)
        };
        assert!(frames.iter().any(here), "{frames:?}");
    }

    #[test]
    fn the_user_is_the_innermost_that_is_no_library() {
        let names = [
            "rayon_core::join::join_context",
            "<rayon::iter::map::Map<I,F> as rayon::iter::ParallelIterator>::drive",
            "<&mut dyn core::ops::Fn() as core::ops::FnOnce>::call_once",
            "std::rt::lang_start",
            "_start",
            "user::main",
        ];
        let frames = names.map(|name| frame(name, None));
        assert_eq!(user(&frames), Some(5));
        assert_eq!(user(&frames[..5]), None);
        let places = [
            (
                "{closure#0}",
                "/rustc/5980/library/core/src/ops/function.rs",
            ),
            (
                "helper<usize>",
                "/home/u/.cargo/registry/src/index/rayon-1.12.0/src/iter/plumbing/mod.rs",
            ),
            ("join<A>", file!()),
            ("start_thread", "./nptl/pthread_create.c"),
            (
                "user_code",
                "/home/u/.cargo/registry/src/index/image-0.25.0/src/lib.rs",
            ),
        ];
        let frames = places.map(|(name, file)| frame(name, Some((file, 3))));
        assert_eq!(user(&frames), Some(4));
        assert_eq!(user(&frames[..4]), None);
    }

    #[test]
    fn a_job_continues_what_forked_it() {
        let stack = Backtrace::force_capture();
        let enclosing = [frame("user::outer", None)];
        let alone = frames(&stack, Some(&enclosing));
        assert!(!alone.contains(&enclosing[0]), "no job began on this stack");
        let stack = filch_job_begins(Backtrace::force_capture);
        let continued = frames(&stack, Some(&enclosing));
        assert_eq!(continued.last(), Some(&enclosing[0]));
    }
}
