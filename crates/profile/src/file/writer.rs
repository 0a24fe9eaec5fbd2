use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::chunk::{self, Kind};
use super::encode::Content;
use super::{MAGIC, VERSION};
use crate::{Measures, Profile, Program, Recording, Section, Site, Stretch, Task};

/// A chunk of tasks is ended when it is as long as that. So a reader loses no more if the file is
/// cut short there.
const LONG: usize = 1 << 20;

/// Writes a profile piece by piece, while it is recorded.
///
/// What is written refers only to what was written before: sites come before the tasks that fork
/// there, tasks before the sections of which they are the roots.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    /// How many tasks were written.
    tasks: u32,
}

impl<W: Write> Writer<W> {
    /// Begins a file, with what is known of the program and the recording so far.
    ///
    /// # Errors
    ///
    /// Those of `out`, here and below.
    pub fn begin(out: W, program: &Program, recording: &Recording) -> io::Result<Self> {
        let mut writer = Self { out, tasks: 0 };
        writeln!(writer.out, "{MAGIC}{VERSION}")?;
        writer.program(program, recording)?;
        Ok(writer)
    }

    /// What is known of the program and the recording by now.
    pub fn program(&mut self, program: &Program, recording: &Recording) -> io::Result<()> {
        let mut content = Content::default();
        content.program(program, recording);
        self.chunk(Kind::Program, &content)
    }

    /// Sites, to follow those that were written.
    pub fn sites<'a>(&mut self, sites: impl IntoIterator<Item = &'a Site>) -> io::Result<()> {
        self.each(Kind::Sites, sites, |content, site| content.site(site))
    }

    /// The forks and steals of all sites that were written, in their order.
    pub fn forks(&mut self, forks: impl IntoIterator<Item = (u64, u64)>) -> io::Result<()> {
        let mut content = Content::default();
        for (forks, steals) in forks {
            content.number(forks);
            content.number(steals);
        }
        self.chunk(Kind::Forks, &content)
    }

    /// Tasks, to follow those that were written, each after those that it refers to.
    pub fn tasks<'a>(
        &mut self,
        tasks: impl IntoIterator<Item = (&'a Task, Measures)>,
    ) -> io::Result<()> {
        let mut number = self.tasks;
        self.each(Kind::Tasks, tasks, |content, (task, measures)| {
            content.task(number, task, measures);
            number += 1;
        })?;
        self.tasks = number;
        Ok(())
    }

    /// Sections that have ended.
    pub fn sections<'a>(
        &mut self,
        sections: impl IntoIterator<Item = &'a Section>,
    ) -> io::Result<()> {
        self.each(Kind::Sections, sections, |content, section| {
            content.section(section);
        })
    }

    /// Stretches, to follow those that were written.
    pub fn stretches<'a>(
        &mut self,
        stretches: impl IntoIterator<Item = &'a Stretch>,
    ) -> io::Result<()> {
        self.each(Kind::Stretches, stretches, |content, stretch| {
            content.stretch(stretch);
        })
    }

    /// Ends a recording that was not cut short.
    pub fn end(mut self) -> io::Result<W> {
        self.chunk(Kind::End, &Content::default())?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes items in chunks that are not too long, and nothing if there are none.
    fn each<T>(
        &mut self,
        kind: Kind,
        items: impl IntoIterator<Item = T>,
        mut put: impl FnMut(&mut Content, T),
    ) -> io::Result<()> {
        let mut content = Content::default();
        for item in items {
            put(&mut content, item);
            if content.0.len() >= LONG {
                self.chunk(kind, &content)?;
                content.0.clear();
            }
        }
        if content.0.is_empty() {
            return Ok(());
        }
        self.chunk(kind, &content)
    }

    fn chunk(&mut self, kind: Kind, content: &Content) -> io::Result<()> {
        chunk::write(&mut self.out, kind, &content.0)
    }
}

impl Profile {
    /// Writes the profile to a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.write_to(File::create(path)?).map(drop)
    }

    /// Writes what would be the file to `out`, and returns that.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_to<W: Write>(&self, out: W) -> io::Result<W> {
        let mut writer = Writer::begin(out, &self.program, &self.recording)?;
        writer.sites(&self.sites)?;
        writer.tasks(self.dag.iter().map(|(_, task, measures)| (task, measures)))?;
        writer.sections(&self.sections)?;
        writer.stretches(&self.stretches)?;
        match self.recording.ending {
            crate::Ending::Whole => writer.end(),
            crate::Ending::CutShort => Ok(writer.out),
        }
    }
}
