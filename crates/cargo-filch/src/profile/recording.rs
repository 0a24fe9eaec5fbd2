//! One run of a program that records, and what comes of it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{env, fs};

use filch_cli::profile::{Conclusions, Options, conclude};
use filch_experiments::profile::Flame;
use filch_profile::Profile;
use filch_report::profile::{Shown, page};

use super::wanted::Export;
use crate::args::Request;
use crate::failure::{Failure, say};
use crate::place::Place;

/// Where a recording goes, and what is made of it.
pub(crate) struct Recording {
    /// What the program writes.
    file: PathBuf,
    exports: Vec<Export>,
    /// The build profile: optimised, unless the user asked for another.
    profile: String,
    is_default: bool,
}

impl Recording {
    /// Finds a name for the recording.
    pub(crate) fn new(request: &Request, place: &Place) -> Result<Self, Failure> {
        let folder = match &request.wanted.out {
            Some(folder) => std::path::absolute(folder)
                .map_err(|error| Failure::usage(format!("--out: {error}")))?,
            None => place.home.join("profiles"),
        };
        fs::create_dir_all(&folder).map_err(|error| {
            Failure::usage(format!("cannot create {}: {error}", folder.display()))
        })?;
        let named = request.known.program.as_deref();
        let package = place.packages().and_then(<[String]>::first);
        let name = named.or(package.map(String::as_str)).unwrap_or("program");
        let time = chrono::Utc::now().format("%Y-%m-%dT%H-%M-%S-%3fZ");
        let known = request.known.profile.clone();
        Ok(Self {
            file: folder.join(format!("{name}-{time}.filch")),
            exports: request.wanted.exports.clone(),
            is_default: known.is_none(),
            profile: known.unwrap_or_else(|| "release".to_owned()),
        })
    }

    /// Has cargo build the program so that places in it have lines, and the program record.
    pub(crate) fn ask_for(&self, call: &mut Command) {
        if self.is_default {
            call.arg("--release");
        }
        let name = self.profile.to_uppercase().replace('-', "_");
        for (setting, value) in [("DEBUG", "line-tables-only"), ("STRIP", "none")] {
            let variable = format!("CARGO_PROFILE_{name}_{setting}");
            // What the user has set counts more.
            if env::var_os(&variable).is_none() {
                call.env(variable, value);
            }
        }
        call.env("FILCH_PROFILE", &self.file);
    }

    /// Shows what was recorded, on the terminal and in files beside the recording.
    pub(crate) fn show(&self, status: ExitStatus) -> Result<(), Failure> {
        if !self.file.exists() {
            // If cargo or the program failed, it has said why.
            if status.success() {
                say("the program recorded nothing: this run of it did not use rayon");
            }
            return Ok(());
        }
        let file = self.file.display().to_string();
        let profile = Profile::read(&self.file)
            .map_err(|error| Failure::run(format!("cannot read {file}: {error}")))?;
        say("replaying the program on 1 to 1024 processors");
        let conclusions = conclude(&profile, &Options::default()).map_err(|failure| {
            Failure::run(
                failure
                    .sentence()
                    .unwrap_or_else(|| "no conclusions".into()),
            )
        })?;
        print(&conclusions.page())?;
        self.write_files(&conclusions, &format!("filch profile {file}"))
    }

    fn write_files(&self, conclusions: &Conclusions, command: &str) -> Result<(), Failure> {
        let flame = Flame::of(&conclusions.profile);
        let hints = conclusions.hints();
        let shown = Shown {
            profile: &conclusions.profile,
            analysis: &conclusions.analysis,
            prediction: &conclusions.prediction,
            flame: &flame,
            hints: &hints,
            command,
        };
        let mut files = vec![("html", page(&shown)), ("json", conclusions.json())];
        for export in &self.exports {
            files.push((export.extension(), export.text(&shown)));
        }
        let mut told = format!("\nrecorded: {}\n", self.file.display());
        for (extension, text) in files {
            let path = self.beside(extension);
            fs::write(&path, text).map_err(|error| {
                Failure::run(format!("cannot write {}: {error}", path.display()))
            })?;
            told.push_str(&format!("written:  {}\n", path.display()));
        }
        print(&told)
    }

    /// A file of the same name with another ending.
    fn beside(&self, extension: &str) -> PathBuf {
        let name = self.file.file_stem().unwrap_or_default().to_string_lossy();
        let folder = self.file.parent().unwrap_or(Path::new(""));
        folder.join(format!("{name}.{extension}"))
    }
}

/// A reader that has gone away, as `head` does, is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::run(format!(
            "cannot write to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}
