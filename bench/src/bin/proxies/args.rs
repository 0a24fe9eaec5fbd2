//! The command line: raw arguments, and the run they ask for.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use filch_policy::dispatch::Spec;
use filch_random::Seed;

use crate::balancers::{Candidate, EnvoyFiles};
use crate::serve::Served;
use crate::setting::{ArrivalKind, Servers, Setting};

/// Measures balancers in front of servers of two speeds.
#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// Only balancers whose name contains FILTER, or is NAME if FILTER is =NAME (repeatable)
    #[arg(long, value_name = "FILTER")]
    balancer: Vec<String>,
    /// Loads, as fractions of the servers' total capacity
    #[arg(
        long,
        value_name = "L,…",
        value_delimiter = ',',
        default_value = "0.5,0.8,0.95"
    )]
    load: Vec<f64>,
    /// Only these arrivals
    #[arg(long, value_enum, value_name = "KIND")]
    arrivals: Option<ArrivalKind>,
    /// What the servers are like
    #[arg(long, value_enum, default_value = "two-speeds")]
    servers: Servers,
    /// The trial: all kinds of servers, filch beside least connections of nginx and HAProxy
    #[arg(long)]
    trial: bool,
    /// Processor time side by side: rounds in which every balancer has a turn, with instant servers
    #[arg(long, value_name = "ROUNDS")]
    in_turns: Option<usize>,
    /// How often balancers that take turns are started anew, for so many rounds each time
    #[arg(long, value_name = "N", default_value_t = 20)]
    starts: usize,
    /// Requests in each turn
    #[arg(long, value_name = "N", default_value_t = 4000)]
    requests: u64,
    /// Say whether balancers that take turns use at most so many times what the first one does
    #[arg(long, value_name = "RATIO")]
    at_most: Option<f64>,
    /// What a request costs the balancer's process: servers that answer at once
    #[arg(long)]
    closed_loop: bool,
    /// Connections of the clients, in turns and in the closed loop
    #[arg(long, value_name = "N", default_value_t = 64)]
    connections: usize,
    /// Seconds that are measured in each run
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    /// Seconds of warm-up before them
    #[arg(long, value_name = "S", default_value_t = 5)]
    warm_up: u64,
    /// Runs of 5 s
    #[arg(long)]
    quick: bool,
    /// Open requests at which a run is given up: the balancer does not keep up
    #[arg(long, value_name = "N", default_value_t = 2000)]
    most_open: usize,
    /// The seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// A `filch`, to measure `filch proxy` as well
    #[arg(long, value_name = "FILE")]
    filch: Option<PathBuf>,
    /// A stock Envoy, to measure its policies and ours in it as well
    #[arg(long, value_name = "FILE")]
    envoy: Option<PathBuf>,
    /// The folder with our module for it
    #[arg(long, value_name = "FOLDER", default_value = "target/release")]
    envoy_module: PathBuf,
    /// Simulate only, for so long that randomness hardly matters
    #[arg(long)]
    simulate: bool,
    /// Simulate all scenarios, and print how far each policy is from the best in each
    #[arg(long)]
    tournament: bool,
    /// Only scenarios whose title contains FILTER (repeatable)
    #[arg(long, value_name = "FILTER")]
    scenario: Vec<String>,
    /// Policies to simulate
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "round-robin,jsq:2,jsq,pi,jiq,sed,idle-fastest(sed),considerate"
    )]
    policy: Vec<Spec>,
    /// One JSON object with all figures on standard output, and nothing else there
    #[arg(long)]
    json: bool,
    /// Name the balancers, measure nothing
    #[arg(long)]
    list: bool,
    #[command(subcommand)]
    child: Option<Child>,
}

/// The balancers of the trial. The last one is there with `--filch`.
const TRIAL: [&str; 6] = [
    "nginx least_conn",
    "HAProxy leastconn",
    "filch jsq",
    "filch idle-fastest(sed), learned",
    "filch considerate, learned",
    "filch proxy, considerate",
];

/// Its settings: servers and load.
const TRIAL_SETTINGS: [(Servers, f64); 4] = [
    (Servers::TwoSpeeds, 0.8),
    (Servers::FourAtOnce, 0.8),
    (Servers::FourAtOnce, 0.95),
    (Servers::FastErrors, 0.6),
];

/// What a child process of this program does.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Child {
    /// Be a proxy in front of these servers until standard input ends
    #[command(hide = true)]
    Serve(Served),
}

/// What to do, checked.
#[derive(Debug)]
pub(crate) enum Task {
    /// Long simulations.
    Simulate(Simulate),
    /// All policies in all scenarios.
    Tournament(Tournament),
    /// Measurements on sockets.
    Measure(Measure),
    /// Processor time on sockets, in turns.
    InTurns(InTurns),
    /// Processor time on sockets.
    ClosedLoop(ClosedLoop),
}

/// What to simulate.
#[derive(Debug)]
pub(crate) struct Simulate {
    pub(crate) settings: Vec<Setting>,
    pub(crate) policies: Vec<Spec>,
    pub(crate) json: bool,
}

/// What to play.
#[derive(Debug)]
pub(crate) struct Tournament {
    pub(crate) policies: Vec<Spec>,
    pub(crate) scenario: Vec<String>,
    pub(crate) seed: Seed,
    pub(crate) json: bool,
}

/// What to measure.
#[derive(Debug)]
pub(crate) struct Measure {
    pub(crate) settings: Vec<Setting>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) json: bool,
    pub(crate) list: bool,
}

/// What to measure in turns.
#[derive(Debug)]
pub(crate) struct InTurns {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) connections: usize,
    pub(crate) rounds: usize,
    pub(crate) starts: usize,
    pub(crate) requests: u64,
    pub(crate) at_most: Option<f64>,
    pub(crate) json: bool,
}

/// What to measure in a closed loop.
#[derive(Debug)]
pub(crate) struct ClosedLoop {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) connections: usize,
    pub(crate) measured: Duration,
    pub(crate) json: bool,
    pub(crate) list: bool,
}

impl Args {
    /// The proxy that this process is to be, if it is a child.
    pub(crate) fn serve(&self) -> Option<&Served> {
        self.child.as_ref().map(|Child::Serve(served)| served)
    }

    /// Checks what was typed; the error is one line that says what to type instead.
    pub(crate) fn checked(&self) -> Result<Task, String> {
        let settings = self.settings()?;
        let policies = self.policy.clone();
        if self.tournament {
            return Ok(Task::Tournament(Tournament {
                policies,
                scenario: self.scenario.clone(),
                seed: Seed::new(self.seed),
                json: self.json,
            }));
        }
        if self.simulate {
            return Ok(Task::Simulate(Simulate {
                settings,
                policies,
                json: self.json,
            }));
        }
        let named = |candidate: &Candidate| {
            let name = candidate.name();
            if self.trial && !TRIAL.contains(&&*name) {
                return false;
            }
            let fits = |filter: &String| match filter.strip_prefix('=') {
                Some(whole) => name == whole,
                None => name.contains(&**filter),
            };
            self.balancer.is_empty() || self.balancer.iter().any(fits)
        };
        let envoy = self.envoy.clone().map(|program| EnvoyFiles {
            program,
            module: self.envoy_module.clone(),
        });
        let candidates: Vec<_> = Candidate::all(self.filch.clone(), envoy)
            .into_iter()
            .filter(named)
            .collect();
        if candidates.is_empty() {
            let filters = self.balancer.join(", ");
            return Err(format!(
                "no balancer is called '{filters}'; --list names them"
            ));
        }
        if let Some(rounds) = self.in_turns {
            return Ok(Task::InTurns(InTurns {
                candidates,
                connections: self.connections,
                rounds: rounds.max(1),
                starts: self.starts.max(1),
                requests: self.requests.max(1),
                at_most: self.at_most,
                json: self.json,
            }));
        }
        if self.closed_loop {
            return Ok(Task::ClosedLoop(ClosedLoop {
                candidates,
                connections: self.connections,
                measured: Duration::from_secs(self.seconds.unwrap_or(5)),
                json: self.json,
                list: self.list,
            }));
        }
        Ok(Task::Measure(Measure {
            settings,
            candidates,
            json: self.json,
            list: self.list,
        }))
    }

    fn settings(&self) -> Result<Vec<Setting>, String> {
        if let Some(load) = self.load.iter().find(|&&load| !(load > 0.0 && load < 1.0)) {
            return Err(format!(
                "--load {load}: use numbers between 0 and 1, for example --load 0.5,0.8"
            ));
        }
        if self.seconds == Some(0) || self.most_open == 0 {
            return Err("--seconds and --most-open take numbers from 1".into());
        }
        let both = || vec![ArrivalKind::Poisson, ArrivalKind::Batches];
        let arrivals = self.arrivals.map_or_else(both, |one| vec![one]);
        let measured = self.seconds.unwrap_or(match (self.simulate, self.quick) {
            (true, false) => 2000,
            (true, true) => 200,
            (false, false) => 20,
            (false, true) => 5,
        });
        let setting = |servers, arrivals, load| Setting {
            servers,
            arrivals,
            load,
            measured: Duration::from_secs(measured),
            warm_up: Duration::from_secs(self.warm_up),
            most_open: self.most_open,
            seed: Seed::new(self.seed),
        };
        if self.trial {
            let settings = TRIAL_SETTINGS.iter();
            let of = |&(servers, load)| setting(servers, ArrivalKind::Poisson, load);
            return Ok(settings.map(of).collect());
        }
        let of = |&arrivals| {
            let loads = self.load.iter();
            loads.map(move |&load| setting(self.servers, arrivals, load))
        };
        Ok(arrivals.iter().flat_map(of).collect())
    }
}
