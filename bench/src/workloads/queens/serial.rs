//! Queens, the plain program.

use super::{Board, FULL, first};

/// The number of ways to complete `board`.
pub(crate) fn queens(board: Board) -> u64 {
    if board.straight == FULL {
        return 1;
    }
    let mut solutions = 0;
    let mut safe = board.safe();
    while safe != 0 {
        let (column, others) = first(safe);
        solutions += queens(board.with(column));
        safe = others;
    }
    solutions
}
