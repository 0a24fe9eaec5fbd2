//! An image for oxipng: PNG with rows that are stored and not compressed.

use std::io::{self, Write as _};

const WIDTH: u32 = 640;
const HEIGHT: u32 = 400;

/// Writes the image: gradients with a pattern over them, in three colours.
pub(crate) fn write(path: &str) -> io::Result<()> {
    let mut rows = Vec::new();
    for y in 0..HEIGHT {
        // No filter.
        rows.push(0);
        for x in 0..WIDTH {
            let pattern = ((x * x + y * y) / 97) & 31;
            rows.extend([x / 3, y / 2, (x + y) / 5].map(|shade| (shade + pattern) as u8));
        }
    }
    let mut file = std::fs::File::create(path)?;
    file.write_all(b"\x89PNG\r\n\x1a\n")?;
    let size = [WIDTH.to_be_bytes(), HEIGHT.to_be_bytes()].concat();
    // Eight bits for each of three colours, and no interlacing.
    file.write_all(&chunk(b"IHDR", &[&size[..], &[8, 2, 0, 0, 0]].concat()))?;
    file.write_all(&chunk(b"IDAT", &stored(&rows)))?;
    file.write_all(&chunk(b"IEND", &[]))
}

fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let checked = [&name[..], data].concat();
    let length = (data.len() as u32).to_be_bytes();
    [&length[..], &checked, &crc(&checked).to_be_bytes()].concat()
}

/// A zlib stream of stored blocks (RFC 1950 and 1951).
fn stored(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let blocks = data.chunks(0xffff);
    let last = blocks.len() - 1;
    for (index, block) in blocks.enumerate() {
        let length = block.len() as u16;
        stream.push(u8::from(index == last));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (a, b) = data.iter().fold((1_u32, 0_u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    });
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

/// CRC-32 as PNG has it, bit by bit.
fn crc(data: &[u8]) -> u32 {
    let step = |crc: u32| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
    let byte = |crc: u32, &byte: &u8| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc));
    !data.iter().fold(!0, byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    }
}
