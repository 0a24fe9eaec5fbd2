//! Queens with filch: a fork for every placement.

use super::{Board, FULL, first};

/// The number of ways to complete `board`.
pub(crate) fn queens(board: Board) -> u64 {
    if board.straight == FULL {
        return 1;
    }
    place(board, board.safe())
}

/// The same, with the next queen in one of the columns `safe`.
fn place(board: Board, safe: u32) -> u64 {
    if safe == 0 {
        return 0;
    }
    let (column, others) = first(safe);
    let (here, there) = filch::join(|| queens(board.with(column)), || place(board, others));
    here + there
}
