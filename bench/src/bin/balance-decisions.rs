//! What a decision of `filch-balance` costs: nanoseconds for a lease and its return, beside tower's
//! p2c.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin balance-decisions
//! cargo run --release -p filch-bench --bin balance-decisions -- --servers 10000 --policy jsq,sed
//! ```
//!
//! Each thread holds its share of the leases and, again and again, returns its oldest lease and
//! takes a new one. Under *idle*, there are half as many leases as servers, so a policy that
//! listens to tokens finds an idle server. Under *busy*, there are twice as many leases as servers,
//! so it never does. *limits* is busy with a limit of four on every server. A cell is the best of
//! the rounds, because the machine may be shared. One thread is measured in CPU time. Several
//! threads also wait for one another, so they are measured in real time.
//!
//! The last rows are whole tower services, which also look up and call the service that they chose:
//! tower's p2c with `PendingRequests`, and `Balance` with the same rule and with the default
//! policy. Threads cannot share them.

use std::collections::VecDeque;
use std::error::Error;
use std::hint::black_box;
use std::io::{self, Write};
use std::pin::pin;
use std::sync::Barrier;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use filch_balance::{Balance, Balancer, Options, Server, Told};
use filch_policy::dispatch::Spec;
use filch_report::markdown_table::{self, Align};
use http::Response;
use http_body_util::{BodyExt, Full};
use rustix::time::{ClockId, clock_gettime};
use tower::discover::ServiceList;
use tower::load::{CompleteOnResponse, PendingRequests};
use tower::{Service, service_fn};

/// Measures decisions.
#[derive(Debug, Parser)]
struct Args {
    /// Numbers of servers
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        default_value = "10,100,1000,10000"
    )]
    servers: Vec<usize>,
    /// Policies
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "random,round-robin,jsq,jsq:2,jsq:1:1,sed,pi,jiq,idle-fastest(sed)"
    )]
    policy: Vec<Spec>,
    /// Numbers of threads
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Rounds; a cell is the best of them
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: usize,
    /// Milliseconds that each round takes for a cell
    #[arg(long, value_name = "MS", default_value_t = 30)]
    millis: u64,
}

/// The clock for one thread.
const ALONE: ClockId = ClockId::ThreadCPUTime;

/// How often each lease is returned before the clock starts, so that speeds are known.
const WARM_UP: usize = 4;

/// Decisions between two looks at the clock.
const CHUNK: usize = 256;

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let length = Duration::from_millis(args.millis);
    let mut out = io::stdout().lock();
    print_core(&args, length, &mut out)?;
    print_services(&args, length, &mut out)
}

/// The best of the rounds.
fn best(args: &Args, cell: impl Fn() -> f64) -> f64 {
    (0..args.rounds).map(|_| cell()).fold(f64::MAX, f64::min)
}

fn print_core(args: &Args, length: Duration, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    writeln!(out, "ns for a lease and its return, as a thread sees it\n")?;
    let columns =
        ["servers", "threads", "idle", "busy", "limits"].map(|title| (title, Align::Right));
    let columns = [&[("policy", Align::Left)], &columns[..]].concat();
    write!(out, "{}", markdown_table::head(&columns))?;
    for &policy in &args.policy {
        for &servers in &args.servers {
            for &threads in &args.threads {
                let cells = [(1, None), (4, None), (4, Some(4))].map(|(halves, limit)| {
                    let leases = servers * halves / 2;
                    best(args, || {
                        core(policy, servers, threads, leases, limit, length)
                    })
                });
                let names = [policy.to_string(), servers.to_string(), threads.to_string()];
                let cells = cells.map(|nanos| format!("{nanos:.0}"));
                let row = markdown_table::row(names.into_iter().chain(cells));
                write!(out, "{row}")?;
            }
        }
    }
    Ok(())
}

fn print_services(
    args: &Args,
    length: Duration,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let columns = ["servers", "idle", "busy"].map(|title| (title, Align::Right));
    let columns = [&[("tower service", Align::Left)], &columns[..]].concat();
    write!(out, "\n{}", markdown_table::head(&columns))?;
    for &servers in &args.servers {
        let cells = [1, 4].map(|halves| best(args, || p2c(servers, servers * halves / 2, length)));
        print_service("tower p2c", servers, cells, out)?;
        for policy in ["jsq:2", "idle-fastest(sed)"] {
            let policy: Spec = policy.parse()?;
            let cells = [1, 4].map(|halves| {
                best(args, || {
                    balance(policy, servers, servers * halves / 2, length)
                })
            });
            print_service(&format!("Balance, {policy}"), servers, cells, out)?;
        }
    }
    Ok(())
}

fn print_service(
    name: &str,
    servers: usize,
    [idle, busy]: [f64; 2],
    out: &mut impl Write,
) -> io::Result<()> {
    let cells = [format!("{idle:.0}"), format!("{busy:.0}")];
    let names = [name.to_owned(), servers.to_string()];
    let row = markdown_table::row(names.into_iter().chain(cells));
    write!(out, "{row}")
}

/// The dispatcher alone.
fn core(
    policy: Spec,
    servers: usize,
    threads: usize,
    out: usize,
    limit: Option<u32>,
    length: Duration,
) -> f64 {
    let servers = (0..servers as u32).map(|key| Server {
        limit,
        ..Server::new(key)
    });
    let balancer = Balancer::new(Options::of(policy), servers).expect("fit servers");
    let (barrier, each) = (Barrier::new(threads), out.div_ceil(threads));
    let times = thread::scope(|scope| {
        let spawned: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let lease = || balancer.lease().expect("there is room");
                    let mut leases: VecDeque<_> = (0..each).map(|_| lease()).collect();
                    barrier.wait();
                    let clock = if threads == 1 {
                        ALONE
                    } else {
                        ClockId::Monotonic
                    };
                    let time = per_step(length, WARM_UP * out, clock, || {
                        if let Some(oldest) = leases.pop_front() {
                            oldest.answered(Told::Silent);
                        }
                        leases.push_back(black_box(lease()));
                    });
                    barrier.wait(); // leases are dropped when all threads have measured
                    time
                })
            })
            .collect();
        spawned
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect::<Vec<_>>()
    });
    times.iter().sum::<f64>() / times.len() as f64
}

type Answer = Response<Full<&'static [u8]>>;

async fn answer((): ()) -> Result<Answer, std::convert::Infallible> {
    Ok(Response::new(Full::from(&b"x"[..])))
}

/// tower's balancer: of two services, the one with fewer pending requests.
fn p2c(servers: usize, out: usize, length: Duration) -> f64 {
    let services: Vec<_> = (0..servers)
        .map(|_| PendingRequests::new(service_fn(answer), CompleteOnResponse::default()))
        .collect();
    let mut balance = tower::balance::p2c::Balance::new(ServiceList::new(services));
    let mut cx = Context::from_waker(Waker::noop());
    let mut call = || {
        assert!(balance.poll_ready(&mut cx).is_ready());
        balance.call(())
    };
    // A request is pending until its future is dropped.
    let mut pending: VecDeque<_> = (0..out).map(|_| call()).collect();
    per_step(length, WARM_UP * out, ALONE, || {
        if let Some(oldest) = pending.pop_front() {
            black_box(poll(oldest)).expect("answered");
        }
        pending.push_back(call());
    })
}

/// Our balancer.
fn balance(policy: Spec, servers: usize, out: usize, length: Duration) -> f64 {
    let services: Vec<_> = (0..servers).map(|_| service_fn(answer)).collect();
    let mut balance = Balance::new(ServiceList::new(services), Options::of(policy));
    let mut cx = Context::from_waker(Waker::noop());
    let mut call = || {
        assert!(balance.poll_ready(&mut cx).is_ready());
        balance.call(())
    };
    let mut pending: VecDeque<_> = (0..out).map(|_| call()).collect();
    per_step(length, WARM_UP * out, ALONE, || {
        if let Some(oldest) = pending.pop_front() {
            let answer = poll(oldest).expect("answered");
            black_box(poll(answer.into_body().collect())).expect("a whole body");
        }
        pending.push_back(call());
    })
}

fn poll<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("nothing here has to wait"),
    }
}

/// Nanoseconds that a step takes, over `length`.
fn per_step(length: Duration, warm_up: usize, clock: ClockId, mut step: impl FnMut()) -> f64 {
    (0..warm_up).for_each(|_| step());
    let (started, mut steps) = (Instant::now(), 0);
    let began = nanos(clock);
    loop {
        for _ in 0..CHUNK {
            step();
        }
        steps += CHUNK;
        if started.elapsed() >= length {
            return (nanos(clock) - began) as f64 / steps as f64;
        }
    }
}

fn nanos(clock: ClockId) -> i64 {
    let time = clock_gettime(clock);
    1_000_000_000 * time.tv_sec + time.tv_nsec
}
