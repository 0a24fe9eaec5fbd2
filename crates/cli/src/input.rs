//! Files that are read: whole, up to a limit, so that an endless one ends too.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// So much of a file is looked at first.
const BEGINNING: u64 = 1 << 16;

/// The text of the file, or why there is none. More than `most` bytes are not read.
pub(crate) fn read(path: &Path, most: u64) -> Result<String, String> {
    let too_large = || format!("it has more than {most} bytes, which is more than filch reads");
    let no_text = || "it is not text in UTF-8".to_owned();
    let mut bytes = Vec::new();
    // Running out of memory is an error here and no abort.
    let read = File::open(path).and_then(|mut file| {
        if file.metadata()?.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        // What is no text, such as /dev/zero, shows that at its beginning.
        file.by_ref()
            .take(BEGINNING.min(most))
            .read_to_end(&mut bytes)?;
        if bytes.contains(&0) {
            return Ok(());
        }
        let rest = most.saturating_add(1) - bytes.len() as u64;
        file.take(rest).read_to_end(&mut bytes).map(drop)
    });
    match read {
        Ok(()) if bytes.contains(&0) => Err(no_text()),
        Ok(()) if bytes.len() as u64 > most => Err(too_large()),
        Ok(()) => String::from_utf8(bytes).map_err(|_| no_text()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_limit_is_read() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read(&file, 5).as_deref(), Ok("12345"));
        assert!(
            read(&file, 4)
                .unwrap_err()
                .starts_with("it has more than 4 bytes")
        );
        assert!(
            read(&home.path().join("none"), 5)
                .unwrap_err()
                .contains("No such file")
        );
        assert!(read(home.path(), 5).is_err());
        std::fs::write(&file, b"\xff").unwrap();
        assert_eq!(read(&file, 5).unwrap_err(), "it is not text in UTF-8");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_endless_file_ends() {
        let refused = read(Path::new("/dev/zero"), 1 << 40);
        assert_eq!(refused.unwrap_err(), "it is not text in UTF-8");
    }
}
