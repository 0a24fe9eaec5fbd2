//! The processed profile format of the Firefox Profiler.
//!
//! Two threads show the computation, by its work and by its critical path: stacks are chains of
//! sites. A thread for each worker shows what it ran, each job under the chain of jobs that forked
//! it. A sample has the weight of its time in microseconds.

use std::collections::BTreeMap;
use std::time::SystemTime;

use filch_experiments::profile::FlameNode;
use filch_profile::{Duration, Profile, SiteId, Stretch};
use fxprof_processed_profile as fxprof;
use fxprof_processed_profile::{
    CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, ProcessHandle, SamplingInterval,
    StackHandle, ThreadHandle, Timestamp, WeightType,
};

use super::{Shown, place};

/// A chain of jobs that forked one another is followed so far.
const DEEPEST: usize = 200;

/// The profile as JSON for the Firefox Profiler.
pub fn firefox(shown: &Shown<'_>) -> String {
    let name = shown.profile.program.command.join(" ");
    let mut writer = Writer::new(shown.profile, &name);
    writer.chains(shown, "work", |node| node.own_work);
    writer.chains(shown, "critical path", |node| node.own_span);
    let mut workers: BTreeMap<u32, Vec<&Stretch>> = BTreeMap::new();
    for stretch in &shown.profile.stretches {
        workers.entry(stretch.worker).or_default().push(stretch);
    }
    for (worker, mut stretches) in workers {
        stretches.sort_by_key(|stretch| stretch.began);
        writer.worker(worker, &stretches);
    }
    let mut text = serde_json::to_string(&writer.out).expect("the crate's own values are JSON");
    text.push('\n');
    text
}

struct Writer<'a> {
    profile: &'a Profile,
    out: fxprof::Profile,
    process: ProcessHandle,
    threads: u32,
}

impl<'a> Writer<'a> {
    fn new(profile: &'a Profile, name: &str) -> Self {
        // The recording knows no date.
        let reference = SystemTime::UNIX_EPOCH.into();
        let mut out = fxprof::Profile::new(name, reference, SamplingInterval::from_millis(1));
        let process = out.add_process(name, 1, at(Duration::ZERO));
        Self {
            profile,
            out,
            process,
            threads: 0,
        }
    }

    fn thread(&mut self, name: &str) -> ThreadHandle {
        self.threads += 1;
        // None is the main thread, which would be shown under the name of the process.
        let thread = self
            .out
            .add_thread(self.process, self.threads, at(Duration::ZERO), false);
        self.out.set_thread_name(thread, name);
        self.out
            .set_thread_samples_weight_type(thread, WeightType::Samples);
        thread
    }

    /// The stack of sites, the outermost first. A site that follows itself is there once.
    fn stack(&mut self, thread: ThreadHandle, mut sites: Vec<SiteId>) -> Option<StackHandle> {
        sites.dedup();
        let mut frames = Vec::with_capacity(sites.len());
        for site in sites {
            let name = self.out.intern_string(&place(self.profile, site));
            frames.push(FrameInfo {
                frame: Frame::Label(name),
                category_pair: CategoryHandle::OTHER.into(),
                flags: FrameFlags::empty(),
            });
        }
        self.out.intern_stack_frames(thread, frames.into_iter())
    }

    /// Times by chains of sites, one after the other.
    fn chains(&mut self, shown: &Shown<'_>, name: &str, own: impl Fn(&FlameNode) -> Duration) {
        let thread = self.thread(name);
        let mut now = Duration::ZERO;
        for node in &shown.flame.nodes {
            let mut sites = vec![node.site];
            let mut above = node.above;
            while let Some(number) = above {
                let node = &shown.flame.nodes[number];
                sites.push(node.site);
                above = node.above;
            }
            sites.reverse();
            self.sample(thread, sites, now, own(node));
            now += own(node);
        }
        self.out.set_thread_end_time(thread, at(now));
    }

    /// What a worker ran.
    fn worker(&mut self, number: u32, stretches: &[&Stretch]) {
        let thread = self.thread(&format!("worker {number}"));
        for stretch in stretches {
            let mut sites = vec![stretch.site];
            let mut above = stretch.forked_in;
            while let Some(origin) = above.filter(|_| sites.len() < DEEPEST) {
                let Some(origin) = self.profile.stretches.get(origin.0 as usize) else {
                    break;
                };
                sites.push(origin.site);
                above = origin.forked_in;
            }
            sites.reverse();
            let worked = (stretch.ended - stretch.began).saturating_sub(stretch.waited);
            self.sample(thread, sites, stretch.began, worked);
        }
    }

    fn sample(&mut self, thread: ThreadHandle, sites: Vec<SiteId>, when: Duration, time: Duration) {
        let micros = i32::try_from(time.picos() / 1_000_000).unwrap_or(i32::MAX);
        if micros > 0 {
            let stack = self.stack(thread, sites);
            self.out
                .add_sample(thread, at(when), stack, CpuDelta::ZERO, micros);
        }
    }
}

fn at(time: Duration) -> Timestamp {
    Timestamp::from_nanos_since_reference(time.picos() / 1000)
}
