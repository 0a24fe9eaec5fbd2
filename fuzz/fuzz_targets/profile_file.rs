//! Files of recorded profiles: reading never panics, what was read is written and read back as the
//! same profile, and a refusal is one line.
//!
//! Checksums keep nearly every change away from what is behind them. So an input is read twice: as
//! it is, and with the lengths and the checksums of its chunks put right.

#![no_main]

use filch_profile::Profile;
use libfuzzer_sys::fuzz_target;

/// Kind and length.
const HEAD: usize = 1 + 4;
/// Behind the head, and behind the content.
const CHECKSUM: usize = 4;

fn checksummed(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(bytes);
    out.extend(crc32fast::hash(bytes).to_le_bytes());
}

/// The input with right lengths and checksums. The last chunk may be cut short.
fn put_right(bytes: &[u8]) -> Vec<u8> {
    let line = bytes.iter().position(|byte| *byte == b'\n');
    let (line, mut rest) = bytes.split_at(line.map_or(bytes.len(), |end| end + 1));
    let mut right = line.to_vec();
    while let Some((head, content)) = rest.split_at_checked(HEAD + CHECKSUM) {
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        let length = content.len().min(length as usize);
        let (content, after) = content.split_at(length);
        let mut head = vec![head[0]];
        head.extend((length as u32).to_le_bytes());
        checksummed(&mut right, &head);
        checksummed(&mut right, content);
        rest = after.get(CHECKSUM..).unwrap_or_default();
    }
    right.extend(rest);
    right
}

fn written(profile: &Profile) -> Vec<u8> {
    profile
        .write_to(Vec::new())
        .expect("memory takes all bytes")
}

fn check(bytes: &[u8]) {
    match Profile::from_bytes(bytes) {
        Ok(profile) => {
            let once = written(&profile);
            let again = Profile::from_bytes(&once).expect("what was written is read");
            // A tolerance that is no number equals nothing, but its bits are kept.
            assert_eq!(written(&again), once);
            assert_eq!(again.recording.ending, profile.recording.ending);
            for (task, steps, measures) in profile.dag.iter() {
                assert_eq!(
                    (&again.dag[task], again.dag.measures(task)),
                    (steps, measures)
                );
            }
        }
        Err(refused) => {
            let sentence = refused.to_string();
            assert_eq!(sentence.lines().count(), 1, "{sentence}");
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&put_right(bytes));
});
