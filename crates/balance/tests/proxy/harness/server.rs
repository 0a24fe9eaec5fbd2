//! A server with HTTP/1.1 written by hand, so that it can also break the rules.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// What the server does with a request once it has read it.
#[derive(Clone, Debug)]
pub(crate) enum Behaviour {
    /// Answers 200 after a while, with these header lines (each with its end).
    Answer {
        after: Duration,
        headers: &'static str,
    },
    /// Never answers.
    Hang,
    /// Resets the connection.
    Reset,
    /// Sends this and closes.
    Say(&'static [u8]),
    /// Sends this, and then echoes what it gets.
    Echo(&'static [u8]),
}

impl Behaviour {
    pub(crate) const GOOD: Self = Self::after(0);

    pub(crate) const fn after(milliseconds: u64) -> Self {
        Self::Answer {
            after: Duration::from_millis(milliseconds),
            headers: "",
        }
    }
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Everything up to the empty line.
    pub(crate) head: String,
    /// The body, without the chunks' frames.
    pub(crate) body: Vec<u8>,
}

#[derive(Debug)]
struct Inner {
    behaviour: Mutex<Behaviour>,
    seen: Mutex<Vec<Seen>>,
    most: AtomicUsize,
    present: AtomicUsize,
}

/// The server. Dropping it closes its port and all connections.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    inner: Arc<Inner>,
    _tasks: JoinSet<()>,
}

impl Server {
    pub(crate) async fn start(behaviour: Behaviour) -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap(), behaviour).await
    }

    /// A server at the address of an earlier one.
    pub(crate) async fn start_at(address: SocketAddr, behaviour: Behaviour) -> Self {
        let mut bound = None;
        super::until("the address is free", async || {
            bound = TcpListener::bind(address).await.ok();
            bound.is_some()
        })
        .await;
        let listener = bound.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Arc::new(Inner {
            behaviour: Mutex::new(behaviour),
            seen: Mutex::default(),
            most: AtomicUsize::new(0),
            present: AtomicUsize::new(0),
        });
        let mut tasks = JoinSet::new();
        let shared = Arc::clone(&inner);
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(attend(stream, Arc::clone(&shared)));
            }
        });
        Self {
            address,
            inner,
            _tasks: tasks,
        }
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        *self.inner.behaviour.lock().unwrap() = behaviour;
    }

    /// All requests so far, health checks included.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.inner.seen.lock().unwrap().clone()
    }

    /// The most requests that it had at once.
    pub(crate) fn most(&self) -> usize {
        self.inner.most.load(Ordering::SeqCst)
    }
}

async fn attend(mut stream: TcpStream, inner: Arc<Inner>) {
    let mut buffer = Vec::new();
    while let Some(seen) = read(&mut stream, &mut buffer).await {
        inner.seen.lock().unwrap().push(seen);
        let present = inner.present.fetch_add(1, Ordering::SeqCst) + 1;
        inner.most.fetch_max(present, Ordering::SeqCst);
        let behaviour = inner.behaviour.lock().unwrap().clone();
        if let Behaviour::Answer { after, .. } = behaviour {
            tokio::time::sleep(after).await;
        }
        // Before the answer, after which the next request may be here at once.
        inner.present.fetch_sub(1, Ordering::SeqCst);
        if !serve(&mut stream, behaviour).await {
            return;
        }
    }
}

/// Returns whether the connection stays open.
async fn serve(stream: &mut TcpStream, behaviour: Behaviour) -> bool {
    match behaviour {
        Behaviour::Answer { headers, .. } => {
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n{headers}\r\nhello");
            stream.write_all(answer.as_bytes()).await.is_ok()
        }
        Behaviour::Hang => std::future::pending().await,
        Behaviour::Reset => {
            // Closing without lingering sends a reset.
            let _ = stream.set_zero_linger();
            false
        }
        Behaviour::Echo(first) => {
            let _ = stream.write_all(first).await;
            let (mut from, mut to) = stream.split();
            let _ = tokio::io::copy(&mut from, &mut to).await;
            false
        }
        Behaviour::Say(bytes) => {
            let _ = stream.write_all(bytes).await;
            false
        }
    }
}

/// The next request; `None` at the end of the connection.
async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Seen> {
    let end = loop {
        if let Some(end) = find(buffer, b"\r\n\r\n") {
            break end;
        }
        more(stream, buffer).await?;
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    buffer.drain(..end + 4);
    let lower = head.to_ascii_lowercase();
    let mut body = Vec::new();
    if lower.contains("\r\ntransfer-encoding:") {
        loop {
            let line = loop {
                if let Some(line) = find(buffer, b"\r\n") {
                    break line;
                }
                more(stream, buffer).await?;
            };
            let size = std::str::from_utf8(&buffer[..line]).ok()?;
            let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
            while buffer.len() < line + 2 + size + 2 {
                more(stream, buffer).await?;
            }
            body.extend_from_slice(&buffer[line + 2..line + 2 + size]);
            buffer.drain(..line + 2 + size + 2);
            if size == 0 {
                break;
            }
        }
    } else if let Some((_, rest)) = lower.split_once("\r\ncontent-length:") {
        let length: usize = rest.lines().next()?.trim().parse().ok()?;
        while buffer.len() < length {
            more(stream, buffer).await?;
        }
        body = buffer.drain(..length).collect();
    }
    Some(Seen { head, body })
}

async fn more(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    match stream.read_buf(buffer).await {
        Ok(1..) => Some(()),
        _ => None,
    }
}

pub(super) fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|part| part == what)
}
