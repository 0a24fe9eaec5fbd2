/// Proposition 3.1: the most messages that PI may have cost when `sub_batches` sub-batches, or whole
/// batches under PI without splitting, have been sent.
///
/// A server sends its token when it completes its last job. That job is the last of the sub-batch it
/// came with, and no sub-batch is completed twice; tokens that the dispatcher holds at the start
/// were sent by nobody.
pub const fn most_messages(sub_batches: u64) -> u64 {
    sub_batches
}
