use tower::Layer;

use super::TokenService;
use super::in_service::InService;

/// A layer for the side that serves: it tells dispatchers when the server is idle.
///
/// It counts the requests in service, of all clients and through all clones, and puts the [token
/// header](crate::TOKEN_HEADER) on each answer: `idle` if the answer leaves the server without
/// requests, otherwise `busy`. An answer goes to one dispatcher, so only that dispatcher gets the
/// token. Each answer has a number, because answers may overtake one another on their way.
///
/// A header goes out before its body. An answer whose length is known and at most
/// [`SMALL`](Self::SMALL) counts as done when its header goes out; of several that leave at the
/// same moment exactly one is the last. A longer answer, or a stream, is in service until its body
/// has ended or is dropped. Its header says `idle` if no other request is in service when it goes
/// out, and the dispatcher applies that when the body has ended. Streams that overlap all say
/// `busy`, and no dispatcher gets the token: docs/tokens.md.
#[derive(Clone, Debug, Default)]
pub struct TokenLayer {
    in_service: InService,
}

impl TokenLayer {
    /// The longest answer, in bytes, that counts as done when its header goes out.
    pub const SMALL: u64 = 64 * 1024;

    /// A layer for a whole server: services under clones of it are counted together.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests in service.
    pub fn in_service(&self) -> usize {
        self.in_service.count()
    }
}

impl<S> Layer<S> for TokenLayer {
    type Service = TokenService<S>;

    fn layer(&self, service: S) -> TokenService<S> {
        TokenService::new(service, self.in_service.clone())
    }
}
