/// What comes back from a server with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether the answer left the server without requests: its token.
    pub idle: bool,
    /// Grows by one with each answer of the server, so that a dispatcher can tell which of two
    /// answers is the newer one.
    pub number: u32,
    /// Whether the answer is an error.
    pub failed: bool,
}
