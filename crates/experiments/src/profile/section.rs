use filch_profile::{Duration, Profile};

/// The profile with one section alone, as if the program did nothing else; none if there is no
/// section of this number.
pub fn only_section(profile: &Profile, number: usize) -> Option<Profile> {
    let mut section = profile.sections.get(number)?.clone();
    section.left = section.left - section.entered;
    section.entered = Duration::ZERO;
    let mut profile = profile.clone();
    profile.program.wall = section.left;
    // That of the whole program.
    profile.program.usage = None;
    profile.sections = vec![section];
    Some(profile)
}
