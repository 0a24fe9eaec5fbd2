//! The balancers, each started as a process.

mod filch_proxy;
mod haproxy;
mod nginx;
mod running;
mod this;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use filch_policy::dispatch::Spec;

pub(crate) use running::Running;

use haproxy::Haproxy;
use nginx::Nginx;
use this::This;

/// A balancer in one configuration.
#[derive(Clone, Debug)]
pub(crate) enum Balancer {
    Nginx(Nginx),
    Haproxy(Haproxy),
    /// A child of this program.
    This(This),
    /// `filch proxy`, from this file.
    FilchProxy(PathBuf, Spec),
}

/// A model that should behave like a balancer: a policy, how many dispatchers, and where its speeds come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Model {
    pub(crate) policy: Spec,
    pub(crate) dispatchers: usize,
    pub(crate) learned: bool,
}

impl Model {
    /// One dispatcher that needs no speeds.
    fn of(policy: &str) -> Self {
        Self {
            policy: policy.parse().expect("a policy of the list"),
            dispatchers: 1,
            learned: true,
        }
    }
}

impl Balancer {
    /// All of them, in the order of the table.
    pub(crate) fn all(filch: Option<PathBuf>) -> Vec<Self> {
        let mut all: Vec<_> = Nginx::all().map(Self::Nginx).collect();
        all.extend(Haproxy::all().map(Self::Haproxy));
        all.extend(This::all().map(Self::This));
        for policy in ["jsq", "idle-fastest(sed)"] {
            let policy = policy.parse().expect("a policy of the list");
            all.extend(filch.clone().map(|filch| Self::FilchProxy(filch, policy)));
        }
        all
    }

    /// As it is printed and filtered.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Nginx(nginx) => nginx.name(),
            Self::Haproxy(haproxy) => haproxy.name(),
            Self::This(this) => this.name(),
            Self::FilchProxy(_, policy) => format!("filch proxy (Pingora), {policy}"),
        }
    }

    /// How many ports requests enter by.
    pub(crate) fn dispatchers(&self) -> usize {
        match self {
            Self::This(this) => this.dispatchers,
            _ => 1,
        }
    }

    /// What to simulate beside it, if anything is like it.
    pub(crate) fn model(&self) -> Option<Model> {
        match self {
            Self::Nginx(nginx) => nginx.model(),
            Self::Haproxy(haproxy) => Some(haproxy.model()),
            Self::This(this) => Some(this.model()),
            Self::FilchProxy(_, policy) => Some(Model::of(&policy.to_string())),
        }
    }

    /// Its version, or why it cannot be run.
    pub(crate) fn version(&self) -> Result<String, String> {
        match self {
            Self::Nginx(_) => running::version("nginx", "-v"),
            Self::Haproxy(_) => running::version("haproxy", "-v"),
            Self::This(this) => this.version(),
            Self::FilchProxy(file, _) => running::version(&file.to_string_lossy(), "--version"),
        }
    }

    /// Starts it in front of `servers`; its files go into `folder`.
    pub(crate) fn start(
        &self,
        servers: &[SocketAddr],
        weights: &[f64],
        folder: &Path,
    ) -> io::Result<Running> {
        match self {
            Self::Nginx(nginx) => nginx.start(servers, weights, folder),
            Self::Haproxy(haproxy) => haproxy.start(servers, folder),
            Self::This(this) => this.start(servers, weights),
            Self::FilchProxy(file, policy) => filch_proxy::start(file, policy, servers, folder),
        }
    }
}
