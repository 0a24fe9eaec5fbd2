use std::path::Path;

use super::chunk::{self, Kind};
use super::decode::Rest;
use super::{MAGIC, ReadError, Version};
use crate::{Dag, Ending, Profile, Program, Recording, Section, Site, Stretch};

impl Profile {
    /// Reads a profile from a file.
    ///
    /// # Errors
    ///
    /// As [`ReadError`] says. A file that was cut short is no error, but [says so](Ending).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Self::from_bytes(&std::fs::read(path)?)
    }

    /// Reads a profile from the bytes of its file.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        let (version, mut rest) = after_first_line(bytes)?;
        let mut read = Read::new(version);
        while !rest.is_empty() {
            let at = bytes.len() - rest.len();
            let damaged = |why| ReadError::Damaged { at, why };
            if read.is_whole {
                return Err(damaged("something follows the end"));
            }
            let Some((kind, content)) = chunk::next(&mut rest, at)? else {
                break;
            };
            read.chunk(kind, Rest(content)).ok_or_else(|| {
                damaged("a chunk has no sense: it was written by a program with an error")
            })?;
        }
        read.profile().ok_or(ReadError::Empty)
    }
}

fn after_first_line(bytes: &[u8]) -> Result<(Version, &[u8]), ReadError> {
    let version = bytes
        .strip_prefix(MAGIC.as_bytes())
        .ok_or(ReadError::NotAProfile)?;
    // A version is short, and what is no version is another kind of file.
    let end = version.iter().take(32).position(|byte| *byte == b'\n');
    let (version, rest) = version.split_at(end.ok_or(ReadError::NotAProfile)?);
    let name = core::str::from_utf8(version)
        .ok()
        .filter(|name| name.chars().all(|c| c.is_ascii_graphic()))
        .ok_or(ReadError::NotAProfile)?;
    match Version::of(name) {
        Some(version) => Ok((version, &rest[1..])),
        None => Err(ReadError::OtherVersion(name.to_owned())),
    }
}

/// What was read so far.
struct Read {
    version: Version,
    program: Option<(Program, Recording)>,
    sites: Vec<Site>,
    dag: Dag,
    sections: Vec<Section>,
    stretches: Vec<Stretch>,
    is_whole: bool,
}

impl Read {
    fn new(version: Version) -> Self {
        Self {
            version,
            program: None,
            sites: Vec::new(),
            dag: Dag::default(),
            sections: Vec::new(),
            stretches: Vec::new(),
            is_whole: false,
        }
    }

    /// `None` if the content does not mean what it should.
    fn chunk(&mut self, kind: Kind, mut rest: Rest<'_>) -> Option<()> {
        let sites = self.sites.len();
        match kind {
            Kind::Program => self.program = Some(rest.program(self.version)?),
            Kind::End => self.is_whole = true,
            Kind::Forks => {
                for site in &mut self.sites {
                    site.forks = rest.number()?;
                    site.steals = rest.number()?;
                }
            }
            Kind::Sites => {
                while !rest.is_empty() {
                    self.sites.push(rest.site()?);
                }
            }
            Kind::Tasks => {
                while !rest.is_empty() {
                    let number = u32::try_from(self.dag.len()).ok()?;
                    let (task, measures) = rest.task(number, sites)?;
                    self.dag.add_measured(task, measures);
                }
            }
            Kind::Sections => {
                while !rest.is_empty() {
                    self.sections.push(rest.section(sites, self.dag.len())?);
                }
            }
            Kind::Stretches => {
                while !rest.is_empty() {
                    let stretch = rest.stretch(sites, self.stretches.len())?;
                    self.stretches.push(stretch);
                }
            }
        }
        rest.is_empty().then_some(())
    }

    fn profile(mut self) -> Option<Profile> {
        let (program, mut recording) = self.program?;
        if self.is_whole {
            recording.ending = Ending::Whole;
        }
        // They were written as they ended.
        self.sections.sort_by_key(|section| section.entered);
        Some(Profile {
            program,
            recording,
            sites: self.sites,
            dag: self.dag,
            sections: self.sections,
            stretches: self.stretches,
        })
    }
}
