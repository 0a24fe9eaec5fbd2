//! A client that sends raw bytes.

use std::fmt::Debug;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::HANG;
use super::server::find;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Everything up to the empty line, in lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let value = line.strip_prefix(name)?.strip_prefix(':')?;
            Some(value.trim())
        })
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// What carries bytes to the proxy and back.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send + Debug {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + Debug> Stream for S {}

/// A connection to the proxy.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: Box<dyn Stream>,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(to: SocketAddr) -> Self {
        Self::over(TcpStream::connect(to).await.unwrap())
    }

    pub(crate) async fn open_at(path: &Path) -> Self {
        Self::over(UnixStream::connect(path).await.unwrap())
    }

    pub(crate) fn over(stream: impl Stream + 'static) -> Self {
        Self {
            stream: Box::new(stream),
            buffer: Vec::new(),
        }
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        // The proxy may have closed already, having read enough.
        let _ = self.stream.write_all(bytes).await;
    }

    /// The next answer; `None` if the connection ends before its end.
    pub(crate) async fn answer(&mut self) -> Option<Answer> {
        timeout(HANG, self.read()).await.expect("an answer in time")
    }

    async fn read(&mut self) -> Option<Answer> {
        let end = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end;
            }
            self.more().await?;
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).to_ascii_lowercase();
        self.buffer.drain(..end + 4);
        let mut answer = Answer {
            status: head.get(9..12)?.parse().ok()?,
            head,
            body: Vec::new(),
        };
        let length = answer.header("content-length");
        match length.map(|length| length.parse::<usize>().unwrap()) {
            Some(length) => {
                while self.buffer.len() < length {
                    self.more().await?;
                }
                answer.body = self.buffer.drain(..length).collect();
            }
            None if answer.header("transfer-encoding").is_some() => {
                answer.body = self.chunks().await?;
            }
            None => {}
        }
        Some(answer)
    }

    async fn chunks(&mut self) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = loop {
                if let Some(line) = find(&self.buffer, b"\r\n") {
                    break line;
                }
                self.more().await?;
            };
            let size = std::str::from_utf8(&self.buffer[..line]).ok()?;
            let size = usize::from_str_radix(size, 16).ok()?;
            while self.buffer.len() < line + 2 + size + 2 {
                self.more().await?;
            }
            body.extend_from_slice(&self.buffer[line + 2..line + 2 + size]);
            self.buffer.drain(..line + 2 + size + 2);
            if size == 0 {
                return Some(body);
            }
        }
    }

    async fn more(&mut self) -> Option<()> {
        match self.stream.read_buf(&mut self.buffer).await {
            Ok(1..) => Some(()),
            _ => None,
        }
    }

    /// Writes one byte after the other, as long as there is no answer.
    pub(crate) async fn trickle(&mut self) -> Option<Answer> {
        loop {
            match timeout(Duration::from_millis(20), self.read()).await {
                Ok(answer) => return answer,
                Err(_) => self.try_write(b"x").await,
            }
        }
    }

    /// Writes, if the other side has not closed.
    pub(crate) async fn try_write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }

    /// The next so many bytes.
    pub(crate) async fn bytes(&mut self, number: usize) -> Vec<u8> {
        let enough = async {
            while self.buffer.len() < number {
                self.more().await.expect("the connection goes on");
            }
        };
        timeout(HANG, enough).await.expect("bytes in time");
        self.buffer.drain(..number).collect()
    }

    /// Whether the other side has closed without sending more.
    pub(crate) async fn is_closed(&mut self) -> bool {
        let closed = timeout(HANG, self.more()).await.expect("an end in time");
        closed.is_none()
    }
}

/// Sends these bytes over a new connection and reads one answer.
pub(crate) async fn send(to: SocketAddr, bytes: &[u8]) -> Option<Answer> {
    let mut connection = Connection::open(to).await;
    connection.write(bytes).await;
    connection.answer().await
}

/// Asks for a path over a new connection.
pub(crate) async fn get(to: SocketAddr, path: &str) -> Option<Answer> {
    let request = format!("GET {path} HTTP/1.1\r\nhost: {to}\r\nconnection: close\r\n\r\n");
    send(to, request.as_bytes()).await
}
