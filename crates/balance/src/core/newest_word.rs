use crate::{AnswerNumber, Told};

/// A word of an earlier boot counts if the later boot has said nothing for this many nanoseconds:
/// the server's clock was set back before it restarted.
const BOOT_IS_OVER: u64 = 10_000_000_000;

/// A server is in use elsewhere if it answers other dispatchers more often than this, in answers
/// per second. Eight dispatchers that probe a server after every quiet second stay well below.
const IN_USE: f64 = 20.0;
/// That it is in use counts for this many nanoseconds. Others may have left it alone since.
const IN_USE_FOR: u64 = 10_000_000_000;

/// The newest word of a server, whichever of its answers came first.
///
/// A server has the requests r1 and r2. Its answer to r1 says busy, its answer to r2 says idle.
/// They travel on two connections, so the dispatcher may handle r2's first. When both are handled
/// and nothing is outstanding, the newest word is that of r2, and it is true.
///
/// Words without a number have no order. If several requests overlapped, the server is taken for
/// idle when one of their answers said so. That may be wrong if another dispatcher has sent a
/// request in between; the opposite rule loses the server until it is presumed idle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NewestWord {
    idle: bool,
    /// Of which answer, and when it was handled.
    number: Option<(AnswerNumber, u64)>,
    in_use: bool,
}

impl NewestWord {
    /// An answer came. Returns whether the server's newest word is idle; `None` if there is none
    /// and our own count is all that is known.
    #[inline]
    pub(crate) fn hear(&mut self, told: Told, now: u64) -> Option<bool> {
        match told {
            Told::Silent => return None,
            Told::Numbered { idle, number } => {
                if self.is_news(number, now) {
                    self.in_use = self.others_since(number, now);
                    self.idle = idle;
                    self.number = Some((number, now));
                }
            }
            Told::Idle | Told::Busy => {
                self.idle |= told == Told::Idle;
                self.number = None;
                self.in_use = false;
            }
        }
        Some(self.idle)
    }

    /// None of our requests is outstanding. What was said without a number is over.
    #[inline]
    pub(crate) fn settle(&mut self) {
        self.idle &= self.number.is_some();
    }

    /// Whether other dispatchers used the server between the last two words, as the numbers between
    /// them tell. Without numbers nothing is known of others.
    #[inline]
    pub(crate) fn is_in_use(&self, now: u64) -> bool {
        let heard = |(_, heard)| now.saturating_sub(heard) < IN_USE_FOR;
        self.in_use && self.number.is_some_and(heard)
    }

    /// Whether the server has answered others often since the newest word so far.
    fn others_since(&self, number: AnswerNumber, now: u64) -> bool {
        self.number.is_some_and(|(newest, heard)| {
            let answers = number.number.wrapping_sub(newest.number);
            let others = f64::from(answers.saturating_sub(1));
            let seconds = now.saturating_sub(heard) as f64 * 1e-9;
            number.boot == newest.boot && others > IN_USE * seconds
        })
    }

    fn is_news(&self, number: AnswerNumber, now: u64) -> bool {
        self.number.is_none_or(|(newest, heard)| {
            let over = number.boot < newest.boot && now.saturating_sub(heard) >= BOOT_IS_OVER;
            over || number.is_after(newest)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(idle: bool, boot: u64, number: u32) -> Told {
        let number = AnswerNumber { boot, number };
        Told::Numbered { idle, number }
    }

    #[test]
    fn the_newest_counts() {
        let mut word = NewestWord::default();
        assert_eq!(word.hear(told(true, 1, 2), 0), Some(true));
        assert_eq!(word.hear(told(false, 1, 1), 0), Some(true));
        word.settle();
        assert_eq!(word.hear(told(false, 1, 0), 0), Some(true));
        assert_eq!(word.hear(told(false, 1, 3), 0), Some(false));
        assert_eq!(word.hear(Told::Silent, 0), None);
    }

    #[test]
    fn a_new_boot_is_newer_unless_it_is_silent() {
        let mut word = NewestWord::default();
        word.hear(told(false, 5, 900), 0);
        assert_eq!(word.hear(told(true, 6, 1), 0), Some(true));
        assert_eq!(word.hear(told(false, 5, 901), 1), Some(true));
        assert_eq!(word.hear(told(false, 5, 1), BOOT_IS_OVER), Some(false));
    }

    #[test]
    fn numbers_tell_whether_others_use_the_server() {
        let second = 1_000_000_000;
        let mut word = NewestWord::default();
        word.hear(told(true, 1, u32::MAX), 0);
        assert!(!word.is_in_use(0), "nothing is known yet");
        // 21 answers, one of them ours, and the number wraps round.
        word.hear(told(true, 1, 20), second);
        assert!(!word.is_in_use(second));
        word.hear(told(true, 1, 42), 2 * second);
        assert!(word.is_in_use(2 * second));
        assert!(
            !word.is_in_use(2 * second + IN_USE_FOR),
            "they may have left"
        );
        // An old answer is no news of others, and a new boot starts anew.
        word.hear(told(true, 1, 41), 2 * second);
        assert!(word.is_in_use(3 * second));
        word.hear(told(true, 2, 900), 3 * second);
        assert!(!word.is_in_use(3 * second));
        word.hear(told(true, 2, 1000), 3 * second);
        assert!(word.is_in_use(3 * second));
        word.hear(Told::Idle, 3 * second);
        assert!(!word.is_in_use(3 * second));
    }

    #[test]
    fn without_numbers_one_idle_of_a_busy_period_is_enough() {
        let mut word = NewestWord::default();
        assert_eq!(word.hear(Told::Idle, 0), Some(true));
        assert_eq!(word.hear(Told::Busy, 0), Some(true));
        word.settle();
        assert_eq!(word.hear(Told::Busy, 0), Some(false));
        word.hear(Told::Idle, 0);
        assert_eq!(word.hear(told(false, 1, 1), 0), Some(false));
    }
}
