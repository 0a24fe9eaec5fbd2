//! The balancers that are compared, each started as a process.

mod child_proxy;
mod envoy;
mod filch_proxy;
mod haproxy;
mod nginx;
mod process;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use filch_policy::dispatch::Spec;

use child_proxy::ChildProxy;
use envoy::Envoy;
use haproxy::Haproxy;
use nginx::Nginx;

pub(crate) use envoy::EnvoyFiles;
pub(crate) use process::BalancerProcess;

/// A balancer in one configuration.
#[derive(Clone, Debug)]
pub(crate) enum Candidate {
    Nginx(Nginx),
    Haproxy(Haproxy),
    /// A small proxy in a child process of this program.
    Child(ChildProxy),
    /// `filch proxy`, from this executable.
    FilchProxy(PathBuf, Spec),
    /// A stock Envoy.
    Envoy(Envoy),
}

/// The model of a balancer: a policy, the number of dispatchers, and where speeds come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Model {
    pub(crate) policy: Spec,
    pub(crate) dispatchers: usize,
    pub(crate) learned: bool,
}

impl Model {
    /// One dispatcher with this policy.
    fn of(policy: &str) -> Self {
        Self {
            policy: policy.parse().expect("a policy of the list"),
            dispatchers: 1,
            learned: true,
        }
    }
}

impl Candidate {
    /// All of them, in the order of the table.
    pub(crate) fn all(filch: Option<PathBuf>, envoy: Option<EnvoyFiles>) -> Vec<Self> {
        let mut all: Vec<_> = Nginx::all().map(Self::Nginx).collect();
        all.extend(Haproxy::all().map(Self::Haproxy));
        all.extend(ChildProxy::all().map(Self::Child));
        for policy in ["jsq", "idle-fastest(sed)", "considerate"] {
            let policy = policy.parse().expect("a policy of the list");
            all.extend(filch.clone().map(|filch| Self::FilchProxy(filch, policy)));
        }
        all.extend(envoy.into_iter().flat_map(Envoy::all).map(Self::Envoy));
        all
    }

    /// The name that is printed and filtered by.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Nginx(nginx) => nginx.name(),
            Self::Haproxy(haproxy) => haproxy.name(),
            Self::Child(child) => child.name(),
            Self::FilchProxy(_, policy) => format!("filch proxy, {policy}"),
            Self::Envoy(envoy) => envoy.name(),
        }
    }

    /// How many dispatchers it has, each with its own port.
    pub(crate) fn dispatchers(&self) -> usize {
        match self {
            Self::Child(child) => child.dispatchers,
            Self::Envoy(envoy) => envoy.processes(),
            _ => 1,
        }
    }

    /// What to simulate beside it, if a policy of ours does the same.
    pub(crate) fn model(&self) -> Option<Model> {
        match self {
            Self::Nginx(nginx) => nginx.model(),
            Self::Haproxy(haproxy) => Some(haproxy.model()),
            Self::Child(child) => Some(child.model()),
            Self::FilchProxy(_, policy) => Some(Model::of(&policy.to_string())),
            Self::Envoy(envoy) => Some(envoy.model()),
        }
    }

    /// Its version, or why it cannot be run.
    pub(crate) fn version(&self) -> Result<String, String> {
        match self {
            Self::Nginx(_) => process::version("nginx", "-v"),
            Self::Haproxy(_) => process::version("haproxy", "-v"),
            Self::Child(child) => child.version(),
            Self::FilchProxy(file, _) => process::version(&file.to_string_lossy(), "--version"),
            Self::Envoy(envoy) => envoy.version(),
        }
    }

    /// Starts it in front of `servers`; its files go into `folder`.
    pub(crate) fn start(
        &self,
        servers: &[SocketAddr],
        weights: &[f64],
        folder: &Path,
    ) -> io::Result<BalancerProcess> {
        match self {
            Self::Nginx(nginx) => nginx.start(servers, weights, folder),
            Self::Haproxy(haproxy) => haproxy.start(servers, folder),
            Self::Child(child) => child.start(servers, weights),
            Self::FilchProxy(file, policy) => filch_proxy::start(file, policy, servers, folder),
            Self::Envoy(envoy) => envoy.start(servers, folder),
        }
    }
}
