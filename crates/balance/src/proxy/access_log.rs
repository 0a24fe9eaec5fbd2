//! The access log: a line of JSON for each request.
//!
//! A thread of its own writes the lines, so that no request waits for a disk. If that thread cannot
//! keep up, lines are dropped and counted.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{self, JoinHandle};

use super::config::LogTarget;
use super::log_line::LogLine;
use super::metrics::Counter;

/// How many lines may wait for the writer.
const WAITING: usize = 8192;

enum Message {
    Line(Vec<u8>),
    Reopen,
    Close,
}

/// The log, to which any thread can write.
#[derive(Debug, Default)]
pub(crate) struct AccessLog {
    /// None if the log is off.
    writer: Option<SyncSender<Message>>,
    pub(crate) dropped: Counter,
}

/// The thread that writes, if the log is not off.
#[derive(Debug)]
pub(crate) struct LogThread(Option<JoinHandle<()>>);

impl AccessLog {
    pub(crate) fn open(target: &LogTarget) -> io::Result<(Self, LogThread)> {
        let (out, path): (Box<dyn Write + Send>, _) = match target {
            LogTarget::Off => return Ok((Self::default(), LogThread(None))),
            LogTarget::Stdout => (Box::new(io::stdout()), None),
            LogTarget::File(path) => (Box::new(append(path)?), Some(path.clone())),
        };
        let (writer, lines) = sync_channel(WAITING);
        let thread = thread::Builder::new()
            .name("access log".into())
            .spawn(move || write(&lines, out, path.as_deref()))?;
        let log = Self {
            writer: Some(writer),
            dropped: Counter::default(),
        };
        Ok((log, LogThread(Some(thread))))
    }

    /// Writes a line, which is not even made if the log is off.
    pub(crate) fn write<'a>(&self, line: impl FnOnce() -> LogLine<'a>) {
        let Some(writer) = &self.writer else { return };
        let Ok(mut line) = serde_json::to_vec(&line()) else {
            return;
        };
        line.push(b'\n');
        if writer.try_send(Message::Line(line)).is_err() {
            self.dropped.add();
        }
    }

    /// Opens the file again: the old one may have been moved away.
    pub(crate) fn reopen(&self) {
        if let Some(writer) = &self.writer
            && writer.try_send(Message::Reopen).is_err()
        {
            log::error!("the access log cannot keep up and was not opened again: try once more");
        }
    }

    /// Writes the lines that wait, and ends. Blocks as long as that takes.
    pub(crate) fn close(&self, thread: LogThread) {
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
            // No line waits: flush, so that readers see all lines so far, then block.
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
                    Err(error) => log::error!("cannot open the access log again: {error}"),
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

    #[test]
    fn a_moved_file_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, moved) = (folder.path().join("log"), folder.path().join("moved"));
        let (log, thread) = AccessLog::open(&LogTarget::File(path.clone())).unwrap();
        let line = |path| LogLine {
            path,
            ..LogLine::default()
        };
        log.write(|| line("/\"before\n"));
        std::fs::rename(&path, &moved).unwrap();
        log.reopen();
        log.write(|| line("/after"));
        log.close(thread);
        for (file, path) in [(moved, "/\"before\n"), (path, "/after")] {
            let text = std::fs::read_to_string(file).unwrap();
            assert_eq!(text.lines().count(), 1);
            let line: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(line["path"], path);
        }
    }
}
