//! Records of a journal: a head of 8 bytes, then the payload.
//!
//! | bytes | what |
//! |---|---|
//! | 0–3 | length of the payload, little endian |
//! | 4–7 | CRC-32 of these four bytes and the payload, little endian |
//! | 8… | the payload, whose first byte says what it is |

use filch_experiments::sweep::{Cell, Column, ColumnKind, ResultCell, Row};

/// The head of the journal, as JSON.
pub(super) const IDENTITY: u8 = b'I';
/// A row.
pub(super) const ROW: u8 = b'R';
/// The last record of a finished journal: how many rows there are.
pub(super) const END: u8 = b'E';

/// A record is shorter than this.
const MOST_BYTES: usize = 64 << 20;

/// A record with this payload.
pub(super) fn framed(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() + 1) as u32;
    let mut record = Vec::with_capacity(payload.len() + 9);
    record.extend(length.to_le_bytes());
    record.extend([0; 4]);
    record.push(kind);
    record.extend(payload);
    let sum = checksum(&record);
    record[4..8].copy_from_slice(&sum.to_le_bytes());
    record
}

/// Over all of a record but the checksum itself.
fn checksum(record: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&record[..4]);
    sum.update(&record[8..]);
    sum.finalize()
}

/// The first record of `bytes`, kind and payload, and what follows it; `None` if it is not whole.
pub(super) fn first(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let length = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
    let end = (1..=MOST_BYTES).contains(&length).then_some(length + 8)?;
    let record = bytes.get(..end)?;
    let sum = u32::from_le_bytes(*record[4..].first_chunk()?);
    (checksum(record) == sum).then(|| (record[8], &record[9..], &bytes[end..]))
}

/// The payload of a row: point, replication, and for each cell a byte that says whether it has a
/// value, and the value.
pub(super) fn encode(row: &Row, columns: &[Column]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + 9 * row.cells.len());
    bytes.extend(row.point.to_le_bytes());
    bytes.extend(row.replication.to_le_bytes());
    for (cell, column) in row.cells.iter().zip(columns) {
        let value = match *cell {
            Cell::Missing => {
                bytes.push(0);
                continue;
            }
            Cell::Whole(number) => number,
            Cell::Real(number) => number.to_bits(),
            Cell::Flag(flag) => flag.into(),
            Cell::Text(text) => word(column.kind, text),
        };
        bytes.push(1);
        bytes.extend(value.to_le_bytes());
    }
    bytes
}

/// The number of a word.
fn word(kind: ColumnKind, text: &str) -> u64 {
    let ColumnKind::Word(words) = kind else {
        unreachable!("results have no other texts");
    };
    let at = words.iter().position(|word| *word == text);
    at.expect("one of the words of the column") as u64
}

/// The row with this payload; `None` if it is not one of these columns.
pub(super) fn decode(bytes: &[u8], columns: &[Column]) -> Option<Row> {
    let mut rest = bytes;
    let mut number = || -> Option<u64> {
        let (chunk, after) = rest.split_first_chunk()?;
        rest = after;
        Some(u64::from_le_bytes(*chunk))
    };
    let (point, replication) = (number()?, number()?);
    let mut cells = Vec::with_capacity(columns.len());
    for column in columns {
        let (&present, after) = rest.split_first()?;
        rest = after;
        if present == 0 {
            cells.push(Cell::Missing);
            continue;
        }
        let (chunk, after) = rest.split_first_chunk()?;
        rest = after;
        cells.push(cell(column.kind, u64::from_le_bytes(*chunk))?);
    }
    rest.is_empty().then_some(Row {
        point,
        replication,
        cells,
    })
}

fn cell(kind: ColumnKind, value: u64) -> Option<ResultCell> {
    Some(match kind {
        ColumnKind::Whole => Cell::Whole(value),
        ColumnKind::Real => Cell::Real(f64::from_bits(value)),
        ColumnKind::Flag => Cell::Flag(value == 1),
        ColumnKind::Word(words) => Cell::Text(words.get(usize::try_from(value).ok()?)?),
        ColumnKind::Text => return None,
    })
}

#[cfg(test)]
mod tests {
    use filch_experiments::sweep::Model;

    use super::*;

    #[test]
    fn rows_are_read_back() {
        let columns = Model::named("natural").unwrap().results;
        let cells = columns
            .iter()
            .enumerate()
            .map(|(at, column)| match column.kind {
                _ if at % 5 == 2 => Cell::Missing,
                ColumnKind::Whole => Cell::Whole(u64::MAX - at as u64),
                ColumnKind::Real => Cell::Real(-1.5e-300 * at as f64),
                ColumnKind::Word(words) => Cell::Text(words[at % words.len()]),
                _ => Cell::Flag(true),
            });
        let row = Row {
            point: 7,
            replication: u64::MAX,
            cells: cells.collect(),
        };
        let bytes = encode(&row, columns);
        assert_eq!(decode(&bytes, columns), Some(row));
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length], columns), None, "{length}");
        }
    }

    /// No record is taken that is cut, or of which one bit is flipped.
    #[test]
    fn damage_is_noticed() {
        let record = framed(ROW, b"some payload");
        assert_eq!(first(&record), Some((ROW, &b"some payload"[..], &b""[..])));
        for length in 0..record.len() {
            assert_eq!(first(&record[..length]), None);
        }
        for bit in 0..8 * record.len() {
            let mut damaged = record.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // A longer length must not be satisfied by what follows either.
            damaged.extend([0; 64]);
            assert_eq!(first(&damaged), None, "{bit}");
        }
        assert_eq!(first(&[0; 64]), None);
    }
}
