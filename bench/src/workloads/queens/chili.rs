//! Queens with chili: a fork for every placement.

use chili::Scope;

use super::{Board, FULL, first};

/// The number of ways to complete `board`.
pub(crate) fn queens(s: &mut Scope<'_>, board: Board) -> u64 {
    if board.straight == FULL {
        return 1;
    }
    place(s, board, board.safe())
}

/// The same, with the next queen in one of the columns `safe`.
fn place(s: &mut Scope<'_>, board: Board, safe: u32) -> u64 {
    if safe == 0 {
        return 0;
    }
    let (column, others) = first(safe);
    let (here, there) = s.join(
        |s| queens(s, board.with(column)),
        |s| place(s, board, others),
    );
    here + there
}
