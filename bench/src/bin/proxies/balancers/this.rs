use std::env;
use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use filch_policy::dispatch::Spec;

use super::Model;
use super::running::Running;

/// A child of this program: filch's dispatchers, or tower's two choices, in a small proxy on hyper.
#[derive(Clone, Debug)]
pub(crate) struct This {
    /// None for tower's two choices.
    policy: Option<Spec>,
    pub(super) dispatchers: usize,
    /// Speeds are weights, not learned.
    weights: bool,
}

/// Policy, dispatchers, and whether the speeds are configured.
const ROWS: [(&str, usize, bool); 14] = [
    ("jsq", 1, false),
    ("jsq", 8, false),
    ("pi", 1, false),
    ("sed", 1, false),
    ("sed", 1, true),
    ("sed", 8, false),
    ("idle-fastest(sed)", 1, true),
    ("idle-fastest(sed)", 1, false),
    ("idle-fastest(sed)", 2, false),
    ("idle-fastest(sed)", 8, false),
    ("considerate", 1, true),
    ("considerate", 1, false),
    ("considerate", 2, false),
    ("considerate", 8, false),
];

impl This {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let filch = ROWS.into_iter().map(|(policy, dispatchers, weights)| Self {
            policy: Some(policy.parse().expect("a policy of the list")),
            dispatchers,
            weights,
        });
        let tower = Self {
            policy: None,
            dispatchers: 1,
            weights: false,
        };
        std::iter::once(tower).chain(filch)
    }

    pub(super) fn name(&self) -> String {
        let Some(policy) = self.policy else {
            return "tower p2c".into();
        };
        let dispatchers = match self.dispatchers {
            1 => String::new(),
            several => format!(", {several} dispatchers"),
        };
        let speeds = if !policy.needs().speeds {
            ""
        } else if self.weights {
            ", right weights"
        } else {
            ", learned"
        };
        format!("filch {policy}{dispatchers}{speeds}")
    }

    /// tower's two choices compare pending requests, as JSQ(2) does.
    pub(super) fn model(&self) -> Model {
        Model {
            policy: self.policy.unwrap_or(Model::of("jsq:2").policy),
            dispatchers: self.dispatchers,
            learned: !self.weights,
        }
    }

    pub(super) fn start(&self, servers: &[SocketAddr], weights: &[f64]) -> io::Result<Running> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("serve");
        if let Some(policy) = self.policy {
            command.arg("--policy").arg(policy.to_string());
        }
        if self.weights {
            command.arg("--weights");
        }
        command
            .arg("--dispatchers")
            .arg(self.dispatchers.to_string());
        command.arg("--servers").arg(listed(servers));
        command.arg("--weight").arg(listed(weights));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let said = child.stdout.take().expect("a pipe was asked for");
        // From here on a child that says nonsense is ended by whoever drops `running`.
        let mut running = Running::new(child, Vec::new());
        let mut line = String::new();
        BufReader::new(said).read_line(&mut line)?;
        let entries = line.trim().split(',').map(str::parse);
        running.entries = entries
            .collect::<Result<_, _>>()
            .map_err(|_| io::Error::other(format!("the child says '{}'", line.trim())))?;
        Ok(running)
    }
}

fn listed<T: ToString>(values: &[T]) -> String {
    let texts: Vec<_> = values.iter().map(T::to_string).collect();
    texts.join(",")
}
