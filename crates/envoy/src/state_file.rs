//! What was learned, written to a file once a second, for the process that follows a hot restart.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Once;
use std::thread;
use std::time::Duration;

use filch_balance::Samples;
use serde::{Deserialize, Serialize};

use crate::abi::guard::guarded;
use crate::abi::log;
use crate::cluster::Cluster;

const INTERVAL: Duration = Duration::from_secs(1);
/// Larger files are not ours.
const LARGEST: u64 = 64 << 20;

/// The file: for each cluster and each address, sums of seconds and their weights.
type File = BTreeMap<String, BTreeMap<String, Row>>;

#[derive(Serialize, Deserialize)]
struct Row(f64, f64, f64, f64, #[serde(default)] u32);

/// What the file says of a cluster; nothing if there is no file, or none that can be read.
pub(crate) fn read(path: Option<&Path>, cluster: &str) -> Vec<(String, Samples)> {
    let Some(path) = path else {
        return Vec::new();
    };
    match load(path) {
        Ok(mut file) => {
            let rows = file.remove(cluster).unwrap_or_default().into_iter();
            rows.map(|(address, row)| (address, row.into())).collect()
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            let shown = path.display();
            log::warn(&format!(
                "{shown} cannot be read, so all speeds are learned anew: {error}"
            ));
            Vec::new()
        }
    }
}

fn load(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.len() > LARGEST {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is too large",
        ));
    }
    serde_json::from_slice(&fs::read(path)?).map_err(io::Error::from)
}

/// Starts the thread that writes, once in the life of the process. The module stays in memory, so
/// the thread may run for ever.
pub(crate) fn keep_writing() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let thread = thread::Builder::new().name("filch-state".to_owned());
        if let Err(error) = thread.spawn(write_for_ever) {
            log::warn(&format!("what is learned is not written down: {error}"));
        }
    });
}

fn write_for_ever() {
    let mut complained = false;
    loop {
        thread::sleep(INTERVAL);
        let written = guarded("writing down what was learned", Ok(()), write_all);
        match written {
            Ok(()) => complained = false,
            Err(error) if !complained => {
                complained = true;
                log::warn(&format!("what was learned is not written down: {error}"));
            }
            Err(_) => {}
        }
    }
}

/// Writes every file that a cluster names. Clusters that name the same file share it.
fn write_all() -> io::Result<()> {
    let mut files: BTreeMap<_, File> = BTreeMap::new();
    for (name, cluster) in Cluster::all() {
        if let Some(path) = &cluster.config().state {
            let rows = cluster.learned().into_iter();
            let rows = rows.map(|(address, samples)| (address, samples.into()));
            files
                .entry(path.clone())
                .or_default()
                .insert(name, rows.collect());
        }
    }
    for (path, file) in files {
        write(&path, &file)?;
    }
    Ok(())
}

/// The file appears whole or not at all.
fn write(path: &Path, file: &File) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let mut temporary = fs::File::create(&beside)?;
    temporary.write_all(&serde_json::to_vec(file)?)?;
    drop(temporary);
    fs::rename(&beside, path)
}

impl From<Row> for Samples {
    fn from(row: Row) -> Self {
        let Row(alone_seconds, alone_weight, others_seconds, others_weight, concurrency) = row;
        Self {
            alone_seconds,
            alone_weight,
            others_seconds,
            others_weight,
            concurrency,
        }
    }
}

impl From<Samples> for Row {
    fn from(it: Samples) -> Self {
        Self(
            it.alone_seconds,
            it.alone_weight,
            it.others_seconds,
            it.others_weight,
            it.concurrency,
        )
    }
}
