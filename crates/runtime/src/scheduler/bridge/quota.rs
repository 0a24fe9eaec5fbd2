//! The processor time that a control group allows (cgroup v2).

use std::fs;
use std::path::{Path, PathBuf};

/// How many processors' worth of time this process may use, by its control group and those around
/// it. `None` if no limit is known.
pub(super) fn of_process() -> Option<f64> {
    let membership = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = unified(&membership)?;
    let mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map(Path::new);
    let limits = mounts.iter().filter_map(|mount| smallest(mount, group));
    limits.min_by(f64::total_cmp)
}

/// The group of the unified hierarchy in `/proc/self/cgroup`: cgroups(7) gives it the number 0 and
/// no controllers.
fn unified(membership: &str) -> Option<&str> {
    membership.lines().find_map(|line| line.strip_prefix("0::"))
}

/// The smallest limit of the group, which is a path below `mount`, and of all groups around it.
fn smallest(mount: &Path, group: &str) -> Option<f64> {
    let relative = Path::new(group.trim_start_matches('/'));
    let folders = relative.ancestors().map(|group| mount.join(group));
    let limits = folders.filter_map(|folder: PathBuf| {
        let text = fs::read_to_string(folder.join("cpu.max")).ok()?;
        processors(&text)
    });
    limits.min_by(f64::total_cmp)
}

/// `cpu.max` is `QUOTA PERIOD` in microseconds; the quota may be `max`, and the period be left out.
fn processors(text: &str) -> Option<f64> {
    let mut words = text.split_whitespace();
    let quota: f64 = words.next()?.parse().ok()?;
    let period: f64 = match words.next() {
        Some(period) => period.parse().ok()?,
        None => 100_000.0,
    };
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn cpu_max() {
        assert_eq!(processors("200000 100000\n"), Some(2.0));
        assert_eq!(processors("150000 100000\n"), Some(1.5));
        assert_eq!(processors("50000\n"), Some(0.5));
        for none in ["max 100000\n", "", "0 100000", "100000 0", "a b"] {
            assert_eq!(processors(none), None, "{none:?}");
        }
    }

    #[test]
    fn the_group_of_the_unified_hierarchy() {
        let hybrid = "12:cpu,cpuacct:/a\n1:name=systemd:/b\n0::/user.slice/c\n";
        assert_eq!(unified(hybrid), Some("/user.slice/c"));
        assert_eq!(unified("4:memory:/a\n"), None);
    }

    #[test]
    fn the_tightest_group_counts() {
        let mount = tempfile::tempdir().unwrap();
        let folder = mount.path().join("pod/container");
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(smallest(mount.path(), "/pod/container"), None);
        fs::write(folder.join("cpu.max"), "max 100000\n").unwrap();
        fs::write(mount.path().join("pod/cpu.max"), "150000 100000\n").unwrap();
        assert_eq!(smallest(mount.path(), "/pod/container"), Some(1.5));
        fs::write(folder.join("cpu.max"), "40000 20000\n").unwrap();
        fs::write(mount.path().join("cpu.max"), "800000 100000\n").unwrap();
        assert_eq!(smallest(mount.path(), "/pod/container"), Some(1.5));
        assert_eq!(smallest(mount.path(), "/"), Some(8.0));
        assert_eq!(smallest(mount.path(), "/pod/gone"), Some(1.5));
    }
}
