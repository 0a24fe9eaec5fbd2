//! PI, Proposition 3.1: the number of messages.

/// Proposition 3.1: the most messages that PI may have sent when `sub_batches` sub-batches, or
/// whole batches under PI without splitting, have been dispatched.
///
/// A server sends its token when it completes its last job. That job is the last of its sub-batch,
/// and no sub-batch is completed twice. The tokens that the dispatcher holds at the start cost no
/// message.
pub const fn most_messages(sub_batches: u64) -> u64 {
    sub_batches
}
