//! The access log: a line of JSON for each request.
//!
//! A thread of its own writes, so that no request waits for a disk. If it cannot keep up, lines are
//! dropped and counted.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{self, JoinHandle};

use serde::Serialize;

use super::config::AccessLog;
use super::metrics::Counter;

/// How many lines may wait for the writer.
const WAITING: usize = 8192;

/// What is logged about a request. Times are in milliseconds.
#[derive(Debug, Serialize)]
pub(crate) struct Entry<'a> {
    pub(crate) time: String,
    pub(crate) client: Option<String>,
    pub(crate) method: &'a str,
    pub(crate) host: &'a str,
    pub(crate) path: &'a str,
    pub(crate) version: &'static str,
    /// What the client got; none if it left before.
    pub(crate) status: Option<u16>,
    pub(crate) bytes: usize,
    pub(crate) group: Option<&'a str>,
    /// The last server that was tried.
    pub(crate) server: Option<&'a str>,
    pub(crate) attempts: usize,
    pub(crate) waited: f64,
    pub(crate) took: f64,
    pub(crate) problem: Option<&'static str>,
    pub(crate) detail: Option<String>,
}

enum Message {
    Line(Vec<u8>),
    Reopen,
    Close,
}

/// The log, to which any thread can write.
#[derive(Debug)]
pub(crate) struct Log {
    writer: Option<SyncSender<Message>>,
    pub(crate) dropped: Counter,
}

/// What has to be waited for at the end.
#[derive(Debug)]
pub(crate) struct Writer(Option<JoinHandle<()>>);

impl Log {
    /// Opens the log.
    pub(crate) fn open(to: &AccessLog) -> io::Result<(Self, Writer)> {
        let out: Box<dyn Write + Send> = match to {
            AccessLog::Off => {
                let off = Self {
                    writer: None,
                    dropped: Counter::default(),
                };
                return Ok((off, Writer(None)));
            }
            AccessLog::Stdout => Box::new(io::stdout()),
            AccessLog::File(path) => Box::new(append(path)?),
        };
        let path = match to {
            AccessLog::File(path) => Some(path.clone()),
            _ => None,
        };
        let (writer, lines) = sync_channel(WAITING);
        let thread = thread::Builder::new()
            .name("access log".into())
            .spawn(move || write(&lines, out, path.as_deref()))?;
        let log = Self {
            writer: Some(writer),
            dropped: Counter::default(),
        };
        Ok((log, Writer(Some(thread))))
    }

    pub(crate) fn write(&self, entry: &Entry<'_>) {
        let Some(writer) = &self.writer else { return };
        let Ok(mut line) = serde_json::to_vec(entry) else {
            return;
        };
        line.push(b'\n');
        if writer.try_send(Message::Line(line)).is_err() {
            self.dropped.add();
        }
    }

    /// Opens the file anew: somebody may have moved the old one away.
    pub(crate) fn reopen(&self) {
        if let Some(writer) = &self.writer
            && writer.try_send(Message::Reopen).is_err()
        {
            log::error!("the access log cannot keep up and was not opened anew: try again");
        }
    }

    /// Writes what waits, and ends. Blocks as long as that takes.
    pub(crate) fn close(&self, thread: Writer) {
        if let (Some(writer), Some(thread)) = (&self.writer, thread.0) {
            let _ = writer.send(Message::Close);
            let _ = thread.join();
        }
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn write(lines: &Receiver<Message>, out: Box<dyn Write + Send>, path: Option<&Path>) {
    let mut out = BufWriter::new(out);
    loop {
        let message = match lines.try_recv() {
            // Nothing waits: let people see what there is, then sleep.
            Err(TryRecvError::Empty) => {
                let _ = out.flush();
                lines.recv().ok()
            }
            other => other.ok(),
        };
        match message {
            Some(Message::Line(line)) => {
                let _ = out.write_all(&line);
            }
            Some(Message::Reopen) => {
                let Some(path) = path else { continue };
                match append(path) {
                    Ok(file) => {
                        let _ = out.flush();
                        out = BufWriter::new(Box::new(file));
                    }
                    Err(error) => log::error!("cannot open the access log anew: {error}"),
                }
            }
            Some(Message::Close) | None => break,
        }
    }
    let _ = out.flush();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proxy::time;

    #[test]
    fn a_moved_file_is_opened_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (path, moved) = (folder.path().join("log"), folder.path().join("moved"));
        let (log, writer) = Log::open(&AccessLog::File(path.clone())).unwrap();
        let entry = |path| Entry {
            time: time::now(),
            client: None,
            method: "GET",
            host: "",
            path,
            version: "1.1",
            status: Some(200),
            bytes: 0,
            group: None,
            server: None,
            attempts: 0,
            waited: 0.0,
            took: 0.0,
            problem: None,
            detail: None,
        };
        log.write(&entry("/\"before\n"));
        std::fs::rename(&path, &moved).unwrap();
        log.reopen();
        log.write(&entry("/after"));
        log.close(writer);
        for (file, path) in [(moved, "/\"before\n"), (path, "/after")] {
            let text = std::fs::read_to_string(file).unwrap();
            assert_eq!(text.lines().count(), 1);
            let line: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(line["path"], path);
        }
    }
}
