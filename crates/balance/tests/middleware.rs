//! The tower middleware: back-pressure, leases in bodies, tokens; on services that tests can open
//! and close, and over real sockets.

#![cfg(feature = "tower")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use filch_balance::{Balance, Options, Server, TOKEN_HEADER, TokenLayer};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Body, Bytes, Frame};
use proptest::prelude::*;
use tower::discover::Change;
use tower::{BoxError, Layer, Service, ServiceExt, service_fn};

/// A service that is ready when the test says so, and answers when and what the test says.
#[derive(Clone, Default)]
struct Gate(Rc<RefCell<Inside>>);

#[derive(Default)]
struct Inside {
    readiness: Readiness,
    waiting: Vec<Waker>,
    calls: usize,
    answers: bool,
    told: Option<&'static str>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Readiness {
    #[default]
    Ready,
    Pending,
    Broken,
}

impl Gate {
    fn set(&self, readiness: Readiness) {
        let mut inside = self.0.borrow_mut();
        inside.readiness = readiness;
        let waiting = std::mem::take(&mut inside.waiting);
        drop(inside);
        waiting.into_iter().for_each(Waker::wake);
    }
}

type Answer = Response<Full<Bytes>>;

impl Service<()> for Gate {
    type Response = Answer;
    type Error = BoxError;
    type Future = std::future::Ready<Result<Answer, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        let mut inside = self.0.borrow_mut();
        match inside.readiness {
            Readiness::Ready => Poll::Ready(Ok(())),
            Readiness::Pending => {
                inside.waiting.push(cx.waker().clone());
                Poll::Pending
            }
            Readiness::Broken => Poll::Ready(Err("broken".into())),
        }
    }

    fn call(&mut self, (): ()) -> Self::Future {
        let mut inside = self.0.borrow_mut();
        assert!(
            inside.readiness == Readiness::Ready,
            "called though it was not ready"
        );
        inside.calls += 1;
        let mut answer = Response::new(Full::from("answer"));
        if let Some(told) = inside.told {
            answer
                .headers_mut()
                .insert(TOKEN_HEADER, told.parse().unwrap());
        }
        std::future::ready(if inside.answers {
            Ok(answer)
        } else {
            Err("refused".into())
        })
    }
}

/// What is to be discovered, for the test to fill.
#[derive(Clone, Default)]
struct News(Rc<RefCell<Untold>>);

/// Changes that are still to be told, the latest first, and the task that waits for more.
type Untold = (Vec<Change<u8, Gate>>, Option<Waker>);

impl News {
    fn tell(&self, change: Change<u8, Gate>) {
        let mut inside = self.0.borrow_mut();
        inside.0.insert(0, change);
        if let Some(waker) = inside.1.take() {
            waker.wake();
        }
    }
}

impl futures_core::Stream for News {
    type Item = Result<Change<u8, Gate>, Infallible>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut inside = self.0.borrow_mut();
        match inside.0.pop() {
            Some(change) => Poll::Ready(Some(Ok(change))),
            None => {
                inside.1 = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A balancer over gates, and how often its task was woken.
struct Stand {
    balance: Balance<News, ()>,
    news: News,
    gates: BTreeMap<u8, Gate>,
    woken: Arc<Woken>,
}

impl Stand {
    fn new(policy: &str, limit: u32) -> Self {
        let news = News::default();
        let options = Options::of(policy.parse().unwrap());
        let server = move |key| Server::new(key).limit(limit).tokens();
        Self {
            balance: Balance::with_servers(news.clone(), options, server),
            news,
            gates: BTreeMap::new(),
            woken: Arc::default(),
        }
    }

    fn add(&mut self, key: u8) -> Gate {
        let gate = Gate::default();
        gate.0.borrow_mut().answers = true;
        self.news.tell(Change::Insert(key, gate.clone()));
        self.gates.insert(key, gate.clone());
        gate
    }

    fn is_ready(&mut self) -> bool {
        let waker = Waker::from(self.woken.clone());
        match self.balance.poll_ready(&mut Context::from_waker(&waker)) {
            Poll::Ready(Ok(())) => true,
            Poll::Pending => false,
            Poll::Ready(Err(error)) => panic!("{error}"),
        }
    }

    fn woken(&self) -> usize {
        self.woken.0.swap(0, Ordering::SeqCst)
    }

    fn call(&mut self) -> Result<Response<impl Body + use<>>, BoxError> {
        let mut sending = Box::pin(self.balance.call(()));
        match sending
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(answer) => answer,
            Poll::Pending => panic!("gates answer at once"),
        }
    }

    /// How often each gate was called.
    fn calls(&self) -> BTreeMap<u8, usize> {
        let gates = self.gates.iter();
        gates
            .map(|(key, gate)| (*key, gate.0.borrow().calls))
            .collect()
    }

    fn outstanding(&self) -> u64 {
        self.balance.balancer().state().in_flight
    }
}

#[test]
fn pending_until_a_service_is_there_ready_and_below_its_limit() {
    let mut stand = Stand::new("idle-fastest(sed)", 1);
    assert!(!stand.is_ready(), "there is no service");
    let gate = stand.add(1);
    assert!(stand.woken() > 0);
    gate.set(Readiness::Pending);
    assert!(!stand.is_ready(), "it is not ready");
    gate.set(Readiness::Ready);
    assert!(stand.woken() > 0);
    assert!(stand.is_ready());
    let answer = stand.call().unwrap();
    assert!(!stand.is_ready(), "it is full while the body is there");
    assert_eq!(stand.outstanding(), 1);
    stand.woken();
    drop(answer);
    assert_eq!(stand.outstanding(), 0);
    assert!(stand.woken() > 0);
    assert!(stand.is_ready());
    // A service that is reserved and then is not ready any more is not called.
    gate.set(Readiness::Pending);
    assert!(!stand.is_ready());
    let other = stand.add(2);
    assert!(stand.is_ready());
    stand.call().unwrap();
    assert_eq!((gate.0.borrow().calls, other.0.borrow().calls), (1, 1));
}

#[test]
#[should_panic(expected = "called before it was ready")]
fn ready_comes_before_call() {
    let mut stand = Stand::new("pi", 1);
    stand.add(1);
    drop(stand.balance.call(()));
}

/// Being ready is a reservation; one that is not used leaves no trace.
#[test]
fn a_reservation_that_is_dropped_never_happened() {
    let mut stand = Stand::new("pi", 3);
    stand.add(1);
    assert!(stand.is_ready() && stand.is_ready());
    let balancer = stand.balance.balancer().clone();
    assert_eq!(balancer.state().in_flight, 1, "however often it is asked");
    drop(stand);
    let state = balancer.state();
    assert_eq!(
        (state.in_flight, state.decisions, state.servers[0].token),
        (0, 0, true)
    );
}

#[test]
fn services_that_break_are_dropped() {
    let mut stand = Stand::new("jsq", 9);
    let (one, two) = (stand.add(1), stand.add(2));
    assert!(stand.is_ready());
    one.set(Readiness::Broken);
    two.set(Readiness::Broken);
    assert!(!stand.is_ready());
    assert_eq!(stand.balance.balancer().state().servers.len(), 0);
    stand.add(1);
    assert!(
        stand.is_ready(),
        "and taken again when they are discovered again"
    );
    stand.news.tell(Change::Remove(1));
    assert!(!stand.is_ready());
    assert_eq!(stand.outstanding(), 0);
}

#[test]
fn an_error_takes_the_token_away() {
    let mut stand = Stand::new("pi", 9);
    let gate = stand.add(1);
    gate.0.borrow_mut().answers = false;
    assert!(stand.is_ready());
    assert!(stand.call().is_err());
    let state = stand.balance.balancer().state();
    assert_eq!(
        (
            state.in_flight,
            state.servers[0].failed,
            state.servers[0].token
        ),
        (0, 1, false)
    );
}

/// The header is believed when the body has ended, and goes no further.
#[tokio::test]
async fn what_the_header_tells_counts_at_the_end_of_the_body() {
    for (told, token) in [
        (Some("idle"), true),
        (Some("busy"), false),
        (None, true),
        (Some("?"), true),
    ] {
        let mut stand = Stand::new("pi", 9);
        stand.add(1).0.borrow_mut().told = told;
        assert!(stand.is_ready());
        let answer = stand.call().unwrap();
        assert!(answer.headers().get(TOKEN_HEADER).is_none());
        let balancer = stand.balance.balancer();
        assert_eq!(
            (
                balancer.state().in_flight,
                balancer.state().servers[0].token
            ),
            (1, false)
        );
        let Ok(_) = answer.into_body().collect().await else {
            panic!("the body is whole");
        };
        assert_eq!(
            (
                balancer.state().in_flight,
                balancer.state().servers[0].token
            ),
            (0, token),
            "{told:?}"
        );
        // A body that is dropped half-way makes no token.
        assert!(stand.is_ready());
        drop(stand.call().unwrap());
        assert!(!stand.balance.balancer().state().servers[0].token);
    }
}

proptest! {
    /// Whatever happens to services and answers: the balancer is ready if and only if some service
    /// is ready and below its limit, it calls such a service (a gate would panic otherwise), and
    /// while it is pending its task is woken by whatever makes it ready.
    #[test]
    fn ready_if_and_only_if_a_service_is(events in prop::collection::vec((0..6u8, 0..4u8), 1..80)) {
        const LIMIT: u32 = 2;
        for policy in ["idle-fastest(sed)", "round-robin", "jsq:2"] {
            let mut stand = Stand::new(policy, LIMIT);
            let mut bodies: Vec<(u8, usize, _)> = Vec::new();
            let mut lives = BTreeMap::new();
            let mut was_pending = false;
            for (number, &(event, key)) in events.iter().enumerate() {
                match event {
                    0 if !stand.gates.contains_key(&key) => {
                        stand.add(key);
                        lives.insert(key, number);
                    }
                    1 if stand.gates.remove(&key).is_some() => {
                        stand.news.tell(Change::Remove(key));
                    }
                    2 | 3 => {
                        let readiness = [Readiness::Pending, Readiness::Ready];
                        if let Some(gate) = stand.gates.get(&key) {
                            gate.set(readiness[usize::from(event - 2)]);
                        }
                    }
                    4 if !bodies.is_empty() => {
                        drop(bodies.swap_remove(usize::from(key) % bodies.len()));
                    }
                    _ => {}
                }
                let open = stand.gates.iter().filter(|(key, gate)| {
                    let its = |body: &&(u8, usize, _)| body.0 == **key && body.1 == lives[*key];
                    let has = bodies.iter().filter(its).count();
                    gate.0.borrow().readiness == Readiness::Ready && has < LIMIT as usize
                });
                let expected = open.count() > 0;
                if was_pending && expected {
                    prop_assert!(stand.woken() > 0, "{} sleeps", policy);
                }
                stand.woken();
                prop_assert_eq!(stand.is_ready(), expected, "{}", policy);
                was_pending = !expected;
                if expected && event == 5 {
                    let calls = stand.calls();
                    let body = stand.call().unwrap().into_body();
                    let mut after = stand.calls().into_iter();
                    let (key, _) = after.find(|(key, after)| *after > calls[key]).unwrap();
                    bodies.push((key, lives[&key], body));
                    was_pending = false;
                }
            }
            drop(bodies);
            let reserved = u64::from(stand.is_ready());
            prop_assert_eq!(stand.outstanding(), reserved);
        }
    }
}

/// What the answer says, without its number.
fn told<B>(answer: &Response<B>) -> &str {
    let value = answer.headers()[TOKEN_HEADER].to_str().unwrap();
    value.split_once(';').unwrap().0
}

/// One of twenty services fails at once, with a status or with an error: of 2,000 requests it gets
/// three that show it, and then a tenth of an equal share.
#[tokio::test]
async fn a_service_that_fails_gets_few_requests() {
    use tower::discover::ServiceList;

    for policy in [
        "idle-fastest(sed)",
        "considerate",
        "jsq",
        "sed",
        "pi",
        "random",
    ] {
        for status in [Some(500), None] {
            let services = (0..20).map(|key| {
                service_fn(move |(): ()| async move {
                    let mut answer = Response::new(Full::<Bytes>::default());
                    match (key, status) {
                        (0, Some(status)) => {
                            *answer.status_mut() = StatusCode::from_u16(status).unwrap();
                        }
                        (0, None) => return Err("a reset"),
                        _ => tokio::task::yield_now().await,
                    }
                    Ok::<_, &str>(answer)
                })
            });
            let options = Options::of(policy.parse().unwrap());
            let mut balance = Balance::new(ServiceList::new(services.collect::<Vec<_>>()), options);
            let mut failed = 0;
            for _ in 0..2000 {
                let answer = ServiceExt::<()>::ready(&mut balance)
                    .await
                    .unwrap()
                    .call(());
                failed += match answer.await {
                    Ok(answer) => {
                        let is_bad = answer.status() != StatusCode::OK;
                        answer.into_body().collect().await.unwrap();
                        u32::from(is_bad)
                    }
                    Err(_) => 1,
                };
            }
            assert!(failed < 40, "{policy} {status:?}: {failed}");
            let state = balance.balancer().state();
            assert_eq!(state.servers[0].failed, u64::from(failed));
        }
    }
}

#[tokio::test]
async fn the_layer_counts_requests_in_service() {
    let layer = TokenLayer::new();
    let service = |body: &'static str| {
        let layer = layer.clone();
        layer.layer(service_fn(move |(): ()| async move {
            let mut answer = Response::new(Full::<Bytes>::from(body));
            // As if passed on from another server: this server must not say that.
            answer
                .headers_mut()
                .insert(TOKEN_HEADER, "idle".parse().unwrap());
            Ok::<_, Infallible>(answer)
        }))
    };
    let (mut one, mut two) = (service("one"), service("two"));
    let (first, second) = (one.call(()), two.call(()));
    assert_eq!(layer.in_service(), 2);
    // Small answers are done when their header goes out: exactly one is the last, whether or not
    // their bodies are read.
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    assert_eq!((told(&first), told(&second)), ("busy", "idle"));
    assert_eq!(layer.in_service(), 0);
    drop(one.call(())); // a client that has left
    assert_eq!(layer.in_service(), 0);
}

/// A stream is in service until its end. It says idle if it is alone when its header goes out.
#[tokio::test]
async fn the_layer_counts_streams_until_their_end() {
    let layer = TokenLayer::new();
    let mut service = layer.layer(service_fn(|(): ()| async {
        let frames = ["a", "b"].map(|part| Ok::<_, Infallible>(Frame::data(Bytes::from(part))));
        let frames = futures_util::stream::iter(frames);
        Ok::<_, Infallible>(Response::new(StreamBody::new(frames)))
    }));
    let first = service.call(()).await.unwrap();
    let second = service.call(()).await.unwrap();
    assert_eq!(
        (told(&first), told(&second), layer.in_service()),
        ("idle", "busy", 2)
    );
    assert_eq!(first.into_body().collect().await.unwrap().to_bytes(), "ab");
    assert_eq!(layer.in_service(), 1);
    drop(second);
    assert_eq!(layer.in_service(), 0);
}

/// Two dispatchers and an axum server: when both its requests end, exactly one dispatcher gets the
/// token.
#[tokio::test]
async fn one_token_for_two_dispatchers() {
    use hyper_util::client::legacy::Client;
    use hyper_util::rt::TokioExecutor;
    use tower::discover::ServiceList;

    let both = Arc::new(tokio::sync::Barrier::new(2));
    let app = axum::Router::new().fallback(move || {
        let both = both.clone();
        async move {
            both.wait().await;
            "served"
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        axum::serve(listener, app.layer(TokenLayer::new()))
            .await
            .unwrap();
    });
    let dispatcher = || {
        let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
        let server = service_fn(move |mut request: Request<Full<Bytes>>| {
            *request.uri_mut() = format!("http://{address}/").parse().unwrap();
            client.request(request)
        });
        let options = Options::of("pi".parse().unwrap());
        Balance::with_servers(ServiceList::new([server]), options, |key| {
            Server::new(key).tokens()
        })
    };
    let (mut one, mut two) = (dispatcher(), dispatcher());
    for _ in 0..20 {
        let ask = async |balance: &mut Balance<_, Request<Full<Bytes>>>| {
            let request = Request::new(Full::default());
            let answer = balance.ready().await.unwrap().call(request).await.unwrap();
            answer.into_body().collect().await.unwrap().to_bytes()
        };
        let answers = tokio::join!(ask(&mut one), ask(&mut two));
        assert_eq!((&*answers.0, &*answers.1), (&b"served"[..], &b"served"[..]));
    }
    let received = [&one, &two].map(|dispatcher| dispatcher.balancer().state().tokens.received);
    assert_eq!(received[0] + received[1], 20, "{received:?}");
    for dispatcher in [&one, &two] {
        assert_eq!(dispatcher.balancer().state().in_flight, 0);
    }
    serving.abort();
}
