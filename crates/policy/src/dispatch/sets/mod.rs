//! Sets of servers, and how to draw from them: what several policies need.
//!
//! | file | what it holds | used for |
//! |---|---|---|
//! | `bits.rs` | a bit for each server, 64 to a word | servers that fell idle together |
//! | `token_set.rs` | such bits with counts, one drawn uniformly | the tokens that are held |
//! | `subset.rs` | k of n candidates, every subset equally likely | jobs that cannot be spread evenly |
//! | `server_set.rs` | a sparse set, k drawn without replacement | the samples of `jsq:D` |
//! | `tournament.rs` | keys, least first | `jsq` and `sed` that follow their servers |
//! | `few.rs`, `tree.rs` | the two forms of it, for few servers and for many | |

mod bits;
mod few;
mod server_set;
mod subset;
mod token_set;
mod tournament;
mod tree;

pub use bits::ServerBits;
pub(crate) use bits::{unpack, words};
pub(crate) use server_set::ServerSet;
pub(crate) use subset::{SubsetDraw, find};
pub(crate) use token_set::TokenSet;
pub(crate) use tournament::Tournament;
