//! Values from bytes. Nothing is allocated for what a length only promises.

use super::Version;
use crate::{
    Duration, Ending, Frame, Kind, Measures, Program, Recording, Section, Site, SiteId, Step,
    Stretch, StretchId, Task, TaskId, Usage,
};

/// What is left of a chunk. Every method returns `None` if the bytes do not mean what they should.
pub(super) struct Rest<'a>(pub(super) &'a [u8]);

impl Rest<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has one bit.
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn word(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// How many items follow. Each takes a byte at least.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    fn duration(&mut self) -> Option<Duration> {
        self.number().map(Duration::from_picos)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(core::str::from_utf8(text).ok()?.to_owned())
    }

    /// In a file of that version.
    pub(super) fn program(&mut self, version: Version) -> Option<(Program, Recording)> {
        let mut command = Vec::new();
        for _ in 0..self.count()? {
            command.push(self.text()?);
        }
        let program = Program {
            command,
            threads: self.word()?,
            processors: self.word()?,
            wall: self.duration()?,
            usage: match version {
                Version::First => None,
                Version::Second => self.usage()?,
            },
        };
        let recording = Recording {
            ending: Ending::CutShort,
            clock: self.duration()?,
            fork: self.duration()?,
            spent: self.duration()?,
            tolerance: f64::from_bits(self.number()?),
            stretches_kept: (self.number()?, self.number()?),
        };
        Some((program, recording))
    }

    fn usage(&mut self) -> Option<Option<Usage>> {
        Some(match self.byte()? {
            0 => None,
            1 => Some(Usage {
                processor: self.duration()?,
                preemptions: self.number()?,
            }),
            _ => return None,
        })
    }

    pub(super) fn site(&mut self) -> Option<Site> {
        let kind = match self.byte()? {
            0 => Kind::Join,
            1 => Kind::Scope,
            2 => Kind::Spawn,
            3 => Kind::Broadcast,
            4 => Kind::Install,
            _ => return None,
        };
        let mut frames = Vec::new();
        for _ in 0..self.count()? {
            frames.push(self.frame()?);
        }
        let user = self.number()?.checked_sub(1);
        let user = match user {
            None => None,
            Some(user) => Some(
                usize::try_from(user)
                    .ok()
                    .filter(|user| *user < frames.len())?,
            ),
        };
        Some(Site {
            kind,
            frames,
            user,
            closure: self.text()?,
            forks: self.number()?,
            steals: self.number()?,
        })
    }

    fn frame(&mut self) -> Option<Frame> {
        let function = self.text()?;
        let place = match self.byte()? {
            0 => None,
            1 => Some((self.text()?, self.word()?)),
            _ => return None,
        };
        Some(Frame { function, place })
    }

    fn measures(&mut self) -> Option<Measures> {
        Some(Measures {
            work: self.duration()?,
            span: self.duration()?,
            path: self.duration()?,
            forks: self.number()?,
        })
    }

    /// The task with that number, which refers to earlier ones, and to `sites` sites.
    pub(super) fn task(&mut self, number: u32, sites: usize) -> Option<(Task, Measures)> {
        let mut steps = Vec::new();
        for _ in 0..self.count()? {
            steps.push(match self.byte()? {
                0 => Step::Work(self.duration()?),
                1 => Step::Join {
                    site: self.site_id(sites)?,
                    first: self.earlier(number)?,
                    second: self.earlier(number)?,
                },
                2 => Step::Scope {
                    site: self.site_id(sites)?,
                    body: self.earlier(number)?,
                },
                3 => Step::Spawn {
                    site: self.site_id(sites)?,
                    child: self.earlier(number)?,
                },
                _ => return None,
            });
        }
        Some((Task::new(steps), self.measures()?))
    }

    fn site_id(&mut self, sites: usize) -> Option<SiteId> {
        let site = self.word().filter(|site| (*site as usize) < sites)?;
        Some(SiteId(site))
    }

    fn earlier(&mut self, number: u32) -> Option<TaskId> {
        let back = self.word().filter(|back| *back > 0)?;
        number.checked_sub(back).map(TaskId)
    }

    pub(super) fn section(&mut self, sites: usize, tasks: usize) -> Option<Section> {
        Some(Section {
            site: self.site_id(sites)?,
            entered: self.duration()?,
            left: self.duration()?,
            caller: self.word()?,
            is_awaited: match self.byte()? {
                0 => false,
                1 => true,
                _ => return None,
            },
            root: TaskId(self.word().filter(|root| (*root as usize) < tasks)?),
            measures: self.measures()?,
            steals: self.number()?,
        })
    }

    /// The stretch that follows `earlier` others.
    pub(super) fn stretch(&mut self, sites: usize, earlier: usize) -> Option<Stretch> {
        Some(Stretch {
            worker: self.word()?,
            site: self.site_id(sites)?,
            forked_in: match self.word()? {
                0 => None,
                number if number as usize <= earlier => Some(StretchId(number - 1)),
                _ => return None,
            },
            forked: self.duration()?,
            began: self.duration()?,
            ended: self.duration()?,
            waited: self.duration()?,
        })
    }
}
