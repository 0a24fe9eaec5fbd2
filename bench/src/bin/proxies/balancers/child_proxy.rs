use std::env;
use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use filch_policy::dispatch::Spec;

use super::Model;
use super::process::BalancerProcess;

/// A small proxy around one balancer, in a child process of this program.
#[derive(Clone, Debug)]
pub(crate) struct ChildProxy {
    chooser: Chooser,
    pub(super) dispatchers: usize,
    /// Whether speeds are the weights; otherwise they are learned.
    weights: bool,
}

/// The balancer in the child.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Chooser {
    /// filch's dispatcher, on hyper.
    Filch(Spec),
    /// tower's two choices, on hyper.
    Tower,
    /// Pingora's own round robin.
    PingoraRoundRobin,
    /// Pingora's own random choice.
    PingoraRandom,
}

/// The rows of filch: policy, dispatchers, and whether the speeds are configured.
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

impl ChildProxy {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let peers = [
            Chooser::PingoraRoundRobin,
            Chooser::PingoraRandom,
            Chooser::Tower,
        ];
        let peers = peers.map(|chooser| Self {
            chooser,
            dispatchers: 1,
            weights: false,
        });
        let filch = ROWS.map(|(policy, dispatchers, weights)| Self {
            chooser: Chooser::Filch(policy.parse().expect("a policy of the list")),
            dispatchers,
            weights,
        });
        peers.into_iter().chain(filch)
    }

    pub(super) fn name(&self) -> String {
        let policy = match self.chooser {
            Chooser::Filch(policy) => policy,
            Chooser::Tower => return "tower p2c".into(),
            Chooser::PingoraRoundRobin => return "Pingora RoundRobin".into(),
            Chooser::PingoraRandom => return "Pingora Random".into(),
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

    /// What to simulate. tower's two choices compare pending requests, as JSQ(2) does.
    pub(super) fn model(&self) -> Model {
        let policy = match self.chooser {
            Chooser::Filch(policy) => policy,
            Chooser::Tower => Model::of("jsq:2").policy,
            Chooser::PingoraRoundRobin => Model::of("round-robin").policy,
            Chooser::PingoraRandom => Model::of("random").policy,
        };
        Model {
            policy,
            dispatchers: self.dispatchers,
            learned: !self.weights,
        }
    }

    pub(super) fn version(&self) -> Result<String, String> {
        let pingora = matches!(
            self.chooser,
            Chooser::PingoraRoundRobin | Chooser::PingoraRandom
        );
        match (pingora, cfg!(feature = "pingora")) {
            (false, _) => Ok(format!("filch {}", env!("CARGO_PKG_VERSION"))),
            (true, true) => Ok("Pingora 0.9".into()),
            (true, false) => Err("this program was built without --features pingora".into()),
        }
    }

    pub(super) fn start(
        &self,
        servers: &[SocketAddr],
        weights: &[f64],
    ) -> io::Result<BalancerProcess> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("serve");
        match self.chooser {
            Chooser::Filch(policy) => command.arg("--policy").arg(policy.to_string()),
            Chooser::Tower => command.arg("--peer").arg("tower"),
            Chooser::PingoraRoundRobin => command.arg("--peer").arg("pingora-round-robin"),
            Chooser::PingoraRandom => command.arg("--peer").arg("pingora-random"),
        };
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
        // From here on the child is ended when `process` is dropped.
        let mut process = BalancerProcess::new(child, Vec::new());
        let mut line = String::new();
        BufReader::new(said).read_line(&mut line)?;
        let entries = line.trim().split(',').map(str::parse);
        process.entries = entries
            .collect::<Result<_, _>>()
            .map_err(|_| io::Error::other(format!("the child says '{}'", line.trim())))?;
        process.wait()
    }
}

fn listed<T: ToString>(values: &[T]) -> String {
    let texts: Vec<_> = values.iter().map(T::to_string).collect();
    texts.join(",")
}
