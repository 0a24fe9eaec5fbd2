//! Values as bytes.

use crate::{
    Duration, Frame, Kind, Measures, Program, Recording, Section, Site, Step, Stretch, Task,
};

/// The content of a chunk while it is put together.
#[derive(Default)]
pub(super) struct Content(pub(super) Vec<u8>);

impl Content {
    pub(super) fn number(&mut self, number: u64) {
        let mut rest = number;
        while rest >= 0x80 {
            self.0.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.0.push(rest as u8);
    }

    fn duration(&mut self, duration: Duration) {
        self.number(duration.picos());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    pub(super) fn program(&mut self, program: &Program, recording: &Recording) {
        self.number(program.command.len() as u64);
        for word in &program.command {
            self.text(word);
        }
        self.number(program.threads.into());
        self.number(program.processors.into());
        self.duration(program.wall);
        match program.usage {
            None => self.0.push(0),
            Some(usage) => {
                self.0.push(1);
                self.duration(usage.processor);
                self.number(usage.preemptions);
            }
        }
        self.duration(recording.clock);
        self.duration(recording.fork);
        self.duration(recording.spent);
        self.number(recording.tolerance.to_bits());
        self.number(recording.stretches_kept.0);
        self.number(recording.stretches_kept.1);
    }

    pub(super) fn site(&mut self, site: &Site) {
        self.0.push(match site.kind {
            Kind::Join => 0,
            Kind::Scope => 1,
            Kind::Spawn => 2,
            Kind::Broadcast => 3,
            Kind::Install => 4,
        });
        self.number(site.frames.len() as u64);
        for frame in &site.frames {
            self.frame(frame);
        }
        self.number(site.user.map_or(0, |user| user as u64 + 1));
        self.text(&site.closure);
        self.number(site.forks);
        self.number(site.steals);
    }

    fn frame(&mut self, frame: &Frame) {
        self.text(&frame.function);
        match &frame.place {
            None => self.0.push(0),
            Some((file, line)) => {
                self.0.push(1);
                self.text(file);
                self.number((*line).into());
            }
        }
    }

    pub(super) fn measures(&mut self, measures: Measures) {
        self.duration(measures.work);
        self.duration(measures.span);
        self.duration(measures.path);
        self.number(measures.forks);
    }

    /// The task with that number.
    pub(super) fn task(&mut self, number: u32, task: &Task, measures: Measures) {
        self.number(task.steps.len() as u64);
        let back = |child: crate::TaskId| u64::from(number - child.0);
        for step in &task.steps {
            match *step {
                Step::Work(time) => {
                    self.0.push(0);
                    self.duration(time);
                }
                Step::Join {
                    site,
                    first,
                    second,
                } => {
                    self.0.push(1);
                    self.number(site.0.into());
                    self.number(back(first));
                    self.number(back(second));
                }
                Step::Scope { site, body } => {
                    self.0.push(2);
                    self.number(site.0.into());
                    self.number(back(body));
                }
                Step::Spawn { site, child } => {
                    self.0.push(3);
                    self.number(site.0.into());
                    self.number(back(child));
                }
            }
        }
        self.measures(measures);
    }

    pub(super) fn section(&mut self, section: &Section) {
        self.number(section.site.0.into());
        self.duration(section.entered);
        self.duration(section.left);
        self.number(section.caller.into());
        self.0.push(section.is_awaited.into());
        self.number(section.root.0.into());
        self.measures(section.measures);
        self.number(section.steals);
    }

    pub(super) fn stretch(&mut self, stretch: &Stretch) {
        self.number(stretch.worker.into());
        self.number(stretch.site.0.into());
        self.number(
            stretch
                .forked_in
                .map_or(0, |stretch| u64::from(stretch.0) + 1),
        );
        self.duration(stretch.forked);
        self.duration(stretch.began);
        self.duration(stretch.ended);
        self.duration(stretch.waited);
    }
}
