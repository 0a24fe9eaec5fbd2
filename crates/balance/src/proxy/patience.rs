use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::time::{Instant, Sleep, sleep_until};

/// A timer whose end is put off again and again, once for each request for example.
///
/// Putting it off writes a number. The timer of the runtime stays where it is, and is set again
/// only if it goes off early.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    timer: Option<Pin<Box<Sleep>>>,
    until: Option<Instant>,
}

impl Patience {
    /// It lasts until then.
    pub(crate) fn until(&mut self, until: Instant) {
        self.until = Some(until);
        if let Some(timer) = &mut self.timer
            && (timer.deadline() > until || timer.is_elapsed())
        {
            timer.as_mut().reset(until);
        }
    }

    /// Ready when it is over.
    pub(crate) fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(until) = self.until else {
            return Poll::Pending;
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        loop {
            ready!(timer.as_mut().poll(cx));
            if timer.deadline() >= until {
                return Poll::Ready(());
            }
            timer.as_mut().reset(until);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn it_can_be_put_off_and_brought_forward() {
        let begun = Instant::now();
        let mut patience = Patience::default();
        let at = |milliseconds| begun + Duration::from_millis(milliseconds);
        for (first, then) in [(50, 100), (60_000, 150), (200, 250)] {
            patience.until(at(first));
            let early = poll_fn(|cx| Poll::Ready(patience.poll_over(cx))).await;
            assert!(early.is_pending() || begun.elapsed() >= Duration::from_millis(first));
            patience.until(at(then));
            poll_fn(|cx| patience.poll_over(cx)).await;
            assert!(begun.elapsed() >= Duration::from_millis(then));
        }
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}
