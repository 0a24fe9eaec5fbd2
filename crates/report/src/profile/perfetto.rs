//! Chrome's trace format, which Perfetto reads: a track for each worker and for each caller, and an
//! arrow from each fork to the worker that ran the job.

use filch_profile::{Duration, Stretch};
use serde_json::{Value, json};

use super::{Shown, kind, place};

/// Threads that call from outside have numbers from here on.
const CALLERS: u32 = 1_000_000;

/// The schedule as a trace, in JSON.
pub fn perfetto(shown: &Shown<'_>) -> String {
    let profile = shown.profile;
    let mut events: Vec<Value> = Vec::new();
    let mut threads: Vec<(u32, String)> = Vec::new();
    let mut name_thread = |number: u32, name: String| {
        if !threads.iter().any(|(known, _)| *known == number) {
            threads.push((number, name));
        }
    };
    for section in &profile.sections {
        let thread = CALLERS + section.caller;
        name_thread(thread, format!("caller {}", section.caller));
        events.push(json!({
            "ph": "X", "cat": "section", "pid": 1, "tid": thread,
            "name": place(profile, section.site),
            "ts": micros(section.entered), "dur": micros(section.left - section.entered),
            "args": {
                "call": kind(profile.sites[section.site.0 as usize].kind),
                "work": micros(section.measures.work), "span": micros(section.measures.span),
                "forks": section.measures.forks, "steals": section.steals,
            },
        }));
    }
    for (number, stretch) in profile.stretches.iter().enumerate() {
        name_thread(stretch.worker, format!("worker {}", stretch.worker));
        events.push(json!({
            "ph": "X", "cat": "job", "pid": 1, "tid": stretch.worker,
            "name": place(profile, stretch.site),
            "ts": micros(stretch.began), "dur": micros(stretch.ended - stretch.began),
            "args": { "waited": micros(stretch.waited) },
        }));
        let origin = stretch.forked_in.map(|origin| origin.0 as usize);
        if let Some(origin) = origin.and_then(|origin| profile.stretches.get(origin)) {
            events.extend(arrow(number, origin, stretch));
        }
    }
    for (thread, name) in threads {
        events.push(json!({
            "ph": "M", "pid": 1, "tid": thread, "name": "thread_name", "args": { "name": name },
        }));
    }
    let trace = json!({ "traceEvents": events, "displayTimeUnit": "ns" });
    let mut text = trace.to_string();
    text.push('\n');
    text
}

/// An arrow from the fork to the begin of the job.
fn arrow(number: usize, origin: &Stretch, stretch: &Stretch) -> [Value; 2] {
    let event = |phase: &str, worker: u32, at: Duration| {
        json!({
            "ph": phase, "cat": "fork", "name": "fork", "id": number, "pid": 1, "tid": worker,
            "ts": micros(at),
        })
    };
    let mut end = event("f", stretch.worker, stretch.began);
    // The arrow ends at the box that begins there, not at the next.
    end["bp"] = "e".into();
    [event("s", origin.worker, stretch.forked), end]
}

/// The format's unit.
fn micros(time: Duration) -> f64 {
    time.picos() as f64 / 1e6
}
