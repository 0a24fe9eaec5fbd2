//! Servers that answer at once, and clients that ask again as soon as they are answered, so that
//! nothing but the balancer takes time.

use std::cell::Cell;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, spawn_local};

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nhello\n";

/// Starts a server on a loopback port.
pub(crate) async fn start_server() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // A connection that breaks is the balancer's affair.
            spawn_local(async move { serve(stream).await.ok() });
        }
    });
    Ok(address)
}

async fn serve(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut request = Vec::with_capacity(4096);
    while stream.read_buf(&mut request).await? > 0 {
        // A balancer sends a request when it has the answer to the one before.
        if request.ends_with(b"\r\n\r\n") {
            request.clear();
            stream.write_all(ANSWER).await?;
        }
    }
    Ok(())
}

/// A client's connection to a balancer.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(entry: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(entry).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            answer: Vec::with_capacity(4096),
        })
    }

    /// One request, until all of its answer is here.
    async fn ask(&mut self) -> io::Result<()> {
        let Self { stream, answer } = self;
        stream.write_all(REQUEST).await?;
        answer.clear();
        while !answer.ends_with(b"\r\n\r\nhello\n") {
            if stream.read_buf(answer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if answer.len() >= 12 && !answer.starts_with(b"HTTP/1.1 200") {
                return Err(io::Error::other("the balancer answers with an error"));
            }
        }
        Ok(())
    }
}

/// Asks on one connection until it is dropped, and counts the answers.
pub(crate) async fn ask(entry: SocketAddr, answered: Rc<Cell<u64>>) -> io::Result<()> {
    let mut connection = Connection::open(entry).await?;
    loop {
        connection.ask().await?;
        answered.set(answered.get() + 1);
    }
}

/// Asks so often in all, on all of the connections at once. None of them has a request under way
/// before or after.
pub(crate) async fn ask_all(connections: &mut Vec<Connection>, requests: u64) -> io::Result<()> {
    let left = Rc::new(Cell::new(requests));
    let clients = connections.drain(..).map(|mut connection| {
        let left = Rc::clone(&left);
        spawn_local(async move {
            while let Some(fewer) = left.get().checked_sub(1) {
                left.set(fewer);
                connection.ask().await?;
            }
            Ok(connection)
        })
    });
    let clients: Vec<JoinHandle<io::Result<Connection>>> = clients.collect();
    for client in clients {
        connections.push(client.await??);
    }
    Ok(())
}
