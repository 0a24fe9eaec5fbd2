use std::time::{SystemTime, UNIX_EPOCH};

/// The number of an answer among all answers of a server, to all dispatchers.
///
/// Answers travel on several connections and may overtake one another; the number tells which of
/// two came from the server later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AnswerNumber {
    /// When the server started, in milliseconds since 1970. A restarted server has a greater one,
    /// and its numbers start anew.
    pub boot: u64,
    /// Grows by one with each answer, and goes on with 0 after 2³² − 1.
    pub number: u32,
}

impl AnswerNumber {
    /// The boot of a server that starts now.
    pub fn boot_now() -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
    }

    /// Whether the server gave this answer after the answer `other`. Numbers are compared as in
    /// RFC 1982, section 3.2: of two of one boot the one is later that is less than 2³¹ ahead.
    pub fn is_after(self, other: Self) -> bool {
        if self.boot != other.boot {
            return self.boot > other.boot;
        }
        let ahead = self.number.wrapping_sub(other.number);
        (1..1 << 31).contains(&ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap_and_boots_come_first() {
        let at = |boot, number| AnswerNumber { boot, number };
        for (earlier, later) in [
            (at(1, 0), at(1, 1)),
            (at(1, u32::MAX), at(1, 0)),
            (at(1, u32::MAX - 5), at(1, 1000)),
            (at(1, 1000), at(2, 0)),
        ] {
            assert!(later.is_after(earlier) && !earlier.is_after(later));
        }
        assert!(!at(1, 7).is_after(at(1, 7)));
        assert!(AnswerNumber::boot_now() > 1_700_000_000_000);
    }
}
