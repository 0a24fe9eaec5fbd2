//! Every order in which requests reach a server, are answered, and their answers are handled: a
//! server with nothing to do is never taken for busy once its answers have arrived.
//!
//! The server answers in any order, as one with several threads does. The orders are explored
//! exhaustively: each history is run again from its start, with the balancers themselves.

use filch_balance::{AnswerNumber, Balancer, Lease, Options, Server, Told};

/// One step of a history.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// This dispatcher sends a request.
    Send(usize),
    /// The request, by the order of sending, reaches the server.
    Arrive(usize),
    /// The server answers it.
    Answer(usize),
    /// Its dispatcher handles the answer.
    Handle(usize),
    /// The server restarts: it forgets its requests, which fail, and its numbers start anew.
    Restart,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    OnTheWay,
    AtServer,
    Answered(Told),
    Failed,
    Handled,
}

/// What there is besides the dispatchers.
#[derive(Clone, Debug)]
struct World {
    /// For each request, its dispatcher and how far it is.
    requests: Vec<(usize, Stage)>,
    boot: u64,
    answers: u32,
    /// The dispatcher that the newest answer goes to.
    newest: Option<usize>,
    restarts_left: usize,
    numbered: bool,
}

impl World {
    fn steps(&self, dispatchers: usize, most: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.requests.len() < most {
            steps.extend((0..dispatchers).map(Step::Send));
        }
        for (request, (_, stage)) in self.requests.iter().enumerate() {
            steps.extend(match stage {
                Stage::OnTheWay => Some(Step::Arrive(request)),
                Stage::AtServer => Some(Step::Answer(request)),
                Stage::Answered(_) | Stage::Failed => Some(Step::Handle(request)),
                Stage::Handled => None,
            });
        }
        if self.restarts_left > 0 && !self.requests.is_empty() {
            steps.push(Step::Restart);
        }
        steps
    }

    /// What the server says with its next answer.
    fn told(&mut self, idle: bool) -> Told {
        self.answers += 1;
        let number = AnswerNumber {
            boot: self.boot,
            number: self.answers,
        };
        match (self.numbered, idle) {
            (true, _) => Told::Numbered { idle, number },
            (false, true) => Told::Idle,
            (false, false) => Told::Busy,
        }
    }

    fn take(
        &mut self,
        step: Step,
        balancers: &[Balancer<()>],
        leases: &mut Vec<Option<Lease<()>>>,
    ) {
        match step {
            Step::Send(dispatcher) => {
                self.requests.push((dispatcher, Stage::OnTheWay));
                leases.push(Some(balancers[dispatcher].lease().unwrap()));
            }
            Step::Arrive(request) => self.requests[request].1 = Stage::AtServer,
            Step::Answer(request) => {
                self.requests[request].1 = Stage::Handled; // not counted below
                let present = self.requests.iter().any(|it| it.1 == Stage::AtServer);
                self.requests[request].1 = Stage::Answered(self.told(!present));
                self.newest = Some(self.requests[request].0);
            }
            Step::Handle(request) => {
                let lease = leases[request].take().unwrap();
                match std::mem::replace(&mut self.requests[request].1, Stage::Handled) {
                    Stage::Answered(told) => lease.answered(told),
                    _ => lease.failed(),
                }
            }
            Step::Restart => {
                self.boot += 1;
                self.answers = 0;
                self.restarts_left -= 1;
                for request in &mut self.requests {
                    if request.1 == Stage::AtServer {
                        request.1 = Stage::Failed;
                    }
                }
            }
        }
    }
}

/// Runs `history` from the start. Returns what there is then, and which dispatchers hold the token.
fn run(history: &[Step], start: &World, dispatchers: usize) -> (World, Vec<bool>) {
    let balancers: Vec<_> = (0..dispatchers)
        .map(|_| {
            let options = Options {
                presume_idle: None,
                ..Options::of("pi".parse().unwrap())
            };
            Balancer::new(options, [Server::new(()).tokens()]).unwrap()
        })
        .collect();
    let (mut world, mut leases) = (start.clone(), Vec::new());
    for &step in history {
        world.take(step, &balancers, &mut leases);
    }
    let tokens = balancers.iter().map(|it| it.state().servers[0].token);
    (world, tokens.collect())
}

/// Calls `check` after every history of up to `most` requests.
fn explore(
    start: &World,
    dispatchers: usize,
    most: usize,
    check: &mut impl FnMut(&[Step], &World, &[bool]),
) {
    let mut history = Vec::new();
    fn go(
        history: &mut Vec<Step>,
        start: &World,
        dispatchers: usize,
        most: usize,
        check: &mut impl FnMut(&[Step], &World, &[bool]),
    ) {
        let (world, tokens) = run(history, start, dispatchers);
        check(history, &world, &tokens);
        for step in world.steps(dispatchers, most) {
            history.push(step);
            go(history, start, dispatchers, most, check);
            history.pop();
        }
    }
    go(&mut history, start, dispatchers, most, check);
}

fn world(numbered: bool, restarts: usize) -> World {
    World {
        requests: Vec::new(),
        boot: 1,
        answers: 0,
        newest: None,
        restarts_left: restarts,
        numbered,
    }
}

/// One dispatcher: whenever nothing of it is outstanding, it holds the token, unless the last thing
/// it learned was a failure. Numbers or not, that holds in all orders.
#[test]
fn one_dispatcher_knows_an_idle_server() {
    for (numbered, most) in [(true, 3), (false, 3)] {
        let mut quiet = 0;
        explore(
            &world(numbered, 0),
            1,
            most,
            &mut |history, world, tokens| {
                if world.requests.iter().all(|it| it.1 == Stage::Handled) {
                    quiet += 1;
                    assert!(tokens[0], "{history:?}");
                }
            },
        );
        assert!(quiet > 100, "{quiet}");
    }
}

/// Two dispatchers: when all answers have been handled, the dispatcher that got the newest holds
/// the token. The other one does not, unless its own newest word was idle: it may be out of date.
#[test]
fn the_dispatcher_of_the_newest_answer_knows() {
    let mut quiet = 0;
    explore(&world(true, 0), 2, 3, &mut |history, world, tokens| {
        if world.requests.iter().any(|it| it.1 != Stage::Handled) {
            return;
        }
        quiet += 1;
        if let Some(newest) = world.newest {
            assert!(tokens[newest], "{history:?}");
        }
    });
    assert!(quiet > 1000, "{quiet}");
}

/// A restart loses the requests that the server had, and its numbers start anew. When a dispatcher
/// then gets an answer of the new boot, late answers of the old boot do not count.
#[test]
fn a_restart_does_not_confuse_the_order() {
    let mut quiet = 0;
    explore(&world(true, 1), 1, 3, &mut |history, world, tokens| {
        let handled = world.requests.iter().all(|it| it.1 == Stage::Handled);
        // A failure takes the token away until the next answer.
        let failed = history.iter().rev().find_map(|&step| match step {
            Step::Handle(request) => Some(was_failed(history, request)),
            _ => None,
        });
        let new_boot_answered = world.boot == 2 && world.answers > 0;
        if handled && new_boot_answered && failed == Some(false) {
            quiet += 1;
            assert!(tokens[0], "{history:?}");
        }
    });
    assert!(quiet > 100, "{quiet}");
}

/// Whether the request was at the server when it restarted.
fn was_failed(history: &[Step], request: usize) -> bool {
    let at = |step| history.iter().position(|&it| it == step);
    let restart = at(Step::Restart);
    let (arrive, answer) = (at(Step::Arrive(request)), at(Step::Answer(request)));
    restart.is_some() && arrive < restart && answer.is_none()
}
