use crate::{
    Dag, Duration, Ending, Frame, Kind, Profile, Program, ReadError, Recording, Section, Site,
    SiteId, Step, Stretch, StretchId, Task, Usage,
};

fn site(kind: Kind, user: Option<usize>) -> Site {
    let frame = |function: &str, place| Frame {
        function: function.to_owned(),
        place,
    };
    Site {
        kind,
        frames: vec![
            frame("rayon::join", None),
            frame("user::sort", Some(("src/main.rs".to_owned(), 17))),
        ],
        user,
        closure: "user::sort::{{closure}}".to_owned(),
        forks: 300,
        steals: 2,
    }
}

/// A profile in which every kind of value occurs.
fn profile() -> Profile {
    let kinds = [
        Kind::Join,
        Kind::Scope,
        Kind::Spawn,
        Kind::Broadcast,
        Kind::Install,
    ];
    let sites = kinds.map(|kind| site(kind, (kind != Kind::Join).then_some(1)));
    let mut dag = Dag::default();
    let leaf = dag.add(Task::new(vec![Step::Work(Duration::from_picos(
        123_456_789,
    ))]));
    let empty = dag.add(Task::default());
    let body = dag.add(Task::new(vec![
        Step::Join {
            site: SiteId(0),
            first: leaf,
            second: empty,
        },
        Step::Spawn {
            site: SiteId(2),
            child: leaf,
        },
    ]));
    let root = dag.add(Task::new(vec![
        Step::Work(Duration::from_picos(u64::MAX)),
        Step::Scope {
            site: SiteId(1),
            body,
        },
    ]));
    let section = |entered, is_awaited| Section {
        site: SiteId(4),
        entered: Duration::from_nanos(entered),
        left: Duration::from_nanos(entered + 1000),
        caller: 3,
        is_awaited,
        root,
        measures: dag.measures(root),
        steals: 7,
    };
    let stretch = |worker, forked_in| Stretch {
        worker,
        site: SiteId(0),
        forked_in,
        forked: Duration::from_nanos(1),
        began: Duration::from_nanos(2),
        ended: Duration::from_nanos(500),
        waited: Duration::from_nanos(100),
    };
    Profile {
        program: Program {
            command: vec!["program".to_owned(), "--größe".to_owned()],
            threads: 4,
            processors: 2,
            wall: Duration::from_nanos(1_000_000_000),
            usage: Some(Usage {
                processor: Duration::from_nanos(1_500_000_000),
                preemptions: 300,
            }),
        },
        recording: Recording {
            ending: Ending::Whole,
            clock: Duration::from_picos(7_500),
            fork: Duration::from_picos(12_000),
            spent: Duration::from_nanos(5_000),
            tolerance: 0.02,
            stretches_kept: (2, 1_000_000),
        },
        sites: sites.into(),
        sections: vec![section(10, true), section(20, false)],
        stretches: vec![stretch(0, None), stretch(1, Some(StretchId(0)))],
        dag,
    }
}

fn bytes(profile: &Profile) -> Vec<u8> {
    profile.write_to(Vec::new()).unwrap()
}

#[test]
fn a_profile_is_read_as_it_was_written() {
    let profile = profile();
    assert_eq!(Profile::from_bytes(&bytes(&profile)).unwrap(), profile);
}

#[test]
fn a_profile_goes_through_a_file() {
    let profile = profile();
    let path = std::env::temp_dir().join(format!("filch-profile-{}", std::process::id()));
    profile.write(&path).unwrap();
    let read = Profile::read(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(read.unwrap(), profile);
    assert!(matches!(Profile::read(&path), Err(ReadError::Io(_))));
}

#[test]
fn sections_are_in_the_order_of_their_entry() {
    let (mut profile, sorted) = (profile(), profile());
    profile.sections.reverse();
    assert_eq!(Profile::from_bytes(&bytes(&profile)).unwrap(), sorted);
}

#[test]
fn a_file_that_was_cut_short_is_read_as_far_as_it_goes() {
    let whole = profile();
    let bytes = bytes(&whole);
    let mut seen = Vec::new();
    for length in 0..bytes.len() {
        match Profile::from_bytes(&bytes[..length]) {
            Ok(read) => {
                assert_eq!(read.recording.ending, Ending::CutShort);
                assert_eq!(read.program, whole.program);
                assert!(whole.sites.starts_with(&read.sites));
                assert!(whole.sections.starts_with(&read.sections));
                assert!(whole.stretches.starts_with(&read.stretches));
                assert!(read.dag.iter().eq(whole.dag.iter().take(read.dag.len())));
                seen.push((read.sites.len(), read.dag.len(), read.sections.len()));
            }
            Err(ReadError::NotAProfile | ReadError::Empty) => assert_eq!(seen, []),
            Err(error) => panic!("{length}: {error}"),
        }
    }
    seen.dedup();
    assert_eq!(seen, [(0, 0, 0), (5, 0, 0), (5, 4, 0), (5, 4, 2)]);
}

#[test]
fn every_changed_bit_is_noticed() {
    let mut bytes = bytes(&profile());
    for index in 0..bytes.len() {
        for bit in 0..8 {
            bytes[index] ^= 1 << bit;
            let read = Profile::from_bytes(&bytes);
            assert!(read.is_err(), "bit {bit} of byte {index}");
            bytes[index] ^= 1 << bit;
        }
    }
}

/// A chunk whose checksums are right and whose content is anything: never a panic.
#[test]
fn content_without_sense_is_an_error() {
    use super::chunk::{self, Kind};

    let first = bytes(&profile());
    let line = first.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let kinds = [
        Kind::Program,
        Kind::Sites,
        Kind::Forks,
        Kind::Tasks,
        Kind::Sections,
        Kind::Stretches,
    ];
    let mut rest = &first[line..];
    let mut tried = 0;
    while let Some((_, content)) = chunk::next(&mut rest, 0).unwrap() {
        for kind in kinds {
            for index in 0..content.len() {
                let mut changed = content.to_vec();
                changed[index] = changed[index].wrapping_add(0x81);
                for end in [index, content.len()] {
                    let mut file = first[..line].to_vec();
                    chunk::write(&mut file, kind, &changed[..end]).unwrap();
                    drop(Profile::from_bytes(&file));
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 1000);
    // A length of 2⁶³ texts, of which none follows.
    let mut file = first[..line].to_vec();
    chunk::write(
        &mut file,
        Kind::Program,
        &[[0xff; 8].as_slice(), &[0x7f]].concat(),
    )
    .unwrap();
    assert!(matches!(
        Profile::from_bytes(&file),
        Err(ReadError::Damaged { .. })
    ));
}

#[test]
fn what_is_no_profile_is_told_in_one_line() {
    let error = |bytes: &[u8]| Profile::from_bytes(bytes).unwrap_err().to_string();
    for (bytes, says) in [
        (&b""[..], "no profile"),
        (b"\x7fELF and so on", "no profile"),
        (b"filch-profile-\xff\n", "no profile"),
        (b"filch-profile-3\n", "format 3"),
        (b"filch-profile-1\n", "before anything"),
        (b"filch-profile-2\n", "before anything"),
        (b"filch-profile-2\n123456789", "damaged at byte 16"),
    ] {
        let error = error(bytes);
        assert!(error.contains(says), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
    let mut long = bytes(&profile());
    long.push(0);
    assert!(error(&long).contains("follows the end"));
}

/// The bytes are a promise: a file that an earlier version has written is read by a later one.
#[test]
fn the_format_is_pinned() {
    let profile = Profile {
        sites: Vec::new(),
        dag: Dag::default(),
        sections: Vec::new(),
        stretches: Vec::new(),
        ..profile()
    };
    let text: String = bytes(&profile)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(text, PINNED);
    let earlier = Profile {
        program: Program {
            usage: None,
            ..profile.program
        },
        ..profile
    };
    let read: Vec<u8> = (0..PINNED_FIRST.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&PINNED_FIRST[at..at + 2], 16).unwrap())
        .collect();
    assert_eq!(Profile::from_bytes(&read).unwrap(), earlier);
}

const PINNED: &str = "\
    66696c63682d70726f66696c652d320a5039000000fd8f1273020770726f6772\
    616d092d2d6772c3b6c39f65040280a094a58d1d0180b0def7d32bac02cc3ae0\
    5dc096b102fba8b8bd94dc9eca3f02c0843d73811bab45000000002420315600\
    000000";

/// The same in version 1.
const PINNED_FIRST: &str = "\
    66696c63682d70726f66696c652d310a503000000077c01a0e020770726f6772\
    616d092d2d6772c3b6c39f65040280a094a58d1dcc3ae05dc096b102fba8b8bd\
    94dc9eca3f02c0843dea36352045000000002420315600000000";
