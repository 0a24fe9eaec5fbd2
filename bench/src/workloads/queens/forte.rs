//! Queens with forte: a fork for every placement.

use forte::Worker;

use super::{Board, FULL, first};

/// The number of ways to complete `board`.
pub(crate) fn queens(w: &Worker, board: Board) -> u64 {
    if board.straight == FULL {
        return 1;
    }
    place(w, board, board.safe())
}

/// The same, with the next queen in one of the columns `safe`.
fn place(w: &Worker, board: Board, safe: u32) -> u64 {
    if safe == 0 {
        return 0;
    }
    let (column, others) = first(safe);
    let (here, there) = w.join(
        |w| queens(w, board.with(column)),
        |w| place(w, board, others),
    );
    here + there
}
