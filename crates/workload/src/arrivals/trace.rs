//! Batch sizes recorded in a file.

use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::number;

/// A trace that cannot be replayed.
#[derive(Debug)]
#[non_exhaustive]
pub enum TraceError {
    /// The file cannot be read.
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file has more bytes than a trace may have, perhaps without end.
    TooLong {
        /// The file.
        file: PathBuf,
    },
    /// There is not a single batch in the file.
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// A line is not a nonnegative integer.
    Malformed {
        /// The file.
        file: PathBuf,
        /// The number of the line, counted from 1.
        line: usize,
        /// What the line says.
        content: String,
    },
    /// A line has more jobs than a batch can.
    TooLarge {
        /// The file.
        file: PathBuf,
        /// The number of the line, counted from 1.
        line: usize,
        /// What the line says.
        content: String,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { file, source } => {
                write!(f, "cannot read the trace {}: {source}", shown(file))
            }
            Self::TooLong { file } => write!(
                f,
                "cannot read the trace {}: it has more than {MOST_BYTES} bytes: use a shorter one",
                shown(file)
            ),
            Self::Empty { file } => write!(
                f,
                "{} holds no batch: write one nonnegative integer a line",
                shown(file)
            ),
            Self::Malformed {
                file,
                line,
                content,
            } => write!(
                f,
                "{}, line {line}: '{}' is no batch size: write one nonnegative integer a line",
                shown(file),
                excerpt(content)
            ),
            Self::TooLarge {
                file,
                line,
                content,
            } => write!(
                f,
                "{}, line {line}: '{}' is too large: a batch has at most {} jobs",
                shown(file),
                excerpt(content),
                u32::MAX
            ),
        }
    }
}

impl Error for TraceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unreadable { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// The file's name, escaped so that it stays on one line.
fn shown(file: &Path) -> String {
    file.to_string_lossy().escape_debug().to_string()
}

/// The beginning of a line that may be anything, even a whole binary file.
fn excerpt(content: &str) -> String {
    const ENOUGH: usize = 40;
    let cut = content.chars().nth(ENOUGH).map_or("", |_| "…");
    content
        .chars()
        .take(ENOUGH)
        .flat_map(char::escape_debug)
        .chain(cut.chars())
        .collect()
}

/// Some hundred million batches.
const MOST_BYTES: u64 = 256 << 20;

/// All batches of `file`, in order; at least one.
pub(super) fn read(file: &Path) -> Result<Vec<u32>, TraceError> {
    let mut bytes = Vec::new();
    let opened = File::open(file);
    let read = opened.and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    let length = read.map_err(|source| TraceError::Unreadable {
        file: file.to_owned(),
        source,
    })?;
    if length as u64 > MOST_BYTES {
        return Err(TraceError::TooLong {
            file: file.to_owned(),
        });
    }
    // Bytes that are not UTF-8 may stand in a comment. Elsewhere they are no number.
    let text = String::from_utf8_lossy(&bytes);
    let mut batches = Vec::new();
    for (index, content) in text.lines().map(str::trim).enumerate() {
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        match number::integer(content) {
            Some(jobs) => batches.push(jobs),
            None => return Err(refusal(file, index + 1, content)),
        }
    }
    if batches.is_empty() {
        return Err(TraceError::Empty {
            file: file.to_owned(),
        });
    }
    Ok(batches)
}

fn refusal(file: &Path, line: usize, content: &str) -> TraceError {
    let (file, content) = (file.to_owned(), content.to_owned());
    if content.bytes().all(|byte| byte.is_ascii_digit()) {
        TraceError::TooLarge {
            file,
            line,
            content,
        }
    } else {
        TraceError::Malformed {
            file,
            line,
            content,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Arrivals;
    use crate::testing::stream;
    use std::io::Write;
    use tempfile::NamedTempFile;

    fn file(content: &[u8]) -> NamedTempFile {
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        file
    }

    fn message(content: &[u8]) -> String {
        let file = file(content);
        let error = read(file.path()).unwrap_err();
        error
            .to_string()
            .replace(file.path().to_str().unwrap(), "FILE")
    }

    #[test]
    fn blank_lines_and_comments_are_skipped() {
        let file = file(b"# caf\xe9\n3\n\n0\r\n  12  \n#5\n4294967295");
        assert_eq!(read(file.path()).unwrap(), [3, 0, 12, u32::MAX]);
    }

    #[test]
    fn bad_files_are_explained() {
        let malformed = "is no batch size: write one nonnegative integer a line";
        let cases: [(&[u8], String); 9] = [
            (
                b"",
                "FILE holds no batch: write one nonnegative integer a line".into(),
            ),
            (
                b"# 1\n\n",
                "FILE holds no batch: write one nonnegative integer a line".into(),
            ),
            (b"1\n\n2.5\n", format!("FILE, line 3: '2.5' {malformed}")),
            (b"#\n-1", format!("FILE, line 2: '-1' {malformed}")),
            (b"+1", format!("FILE, line 1: '+1' {malformed}")),
            (b"1\n\xff", format!("FILE, line 2: '\u{fffd}' {malformed}")),
            (b"1 2", format!("FILE, line 1: '1 2' {malformed}")),
            (
                &[b'x'; 99],
                format!("FILE, line 1: '{}…' {malformed}", "x".repeat(40)),
            ),
            (
                b"1\n4294967296",
                "FILE, line 2: '4294967296' is too large: a batch has at most 4294967295 jobs"
                    .into(),
            ),
        ];
        for (content, expected) in cases {
            assert_eq!(message(content), expected);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_endless_file_ends() {
        let message = read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert_eq!(
            message,
            "cannot read the trace /dev/zero: it has more than 268435456 bytes: use a shorter one"
        );
    }

    #[test]
    fn a_missing_file_is_missed_at_the_start_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none.txt");
        let arrivals: Arrivals = format!("trace:{}", path.display()).parse().unwrap();
        let error = arrivals.start().unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with(&format!("cannot read the trace {}: ", path.display())));
        assert!(error.source().is_some());
    }

    #[test]
    fn a_named_trace_is_replayed() {
        let file = file(b"4\n0\n");
        let arrivals = Arrivals::Trace(file.path().to_owned());
        let mut batches = arrivals.start().unwrap();
        assert_eq!((batches.mean(), batches.variance()), (2.0, 4.0));
        let mut rng = stream(43);
        assert_eq!([(); 3].map(|()| batches.next_batch(&mut rng)), [4, 0, 4]);
    }
}
