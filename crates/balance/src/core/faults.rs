//! How often requests fail on a server, and what that costs it.
//!
//! The share of requests that failed is a mean of the last [`MEMORY`] ones. A server whose share is
//! well above that of the others is not trusted: of the requests that the policy would give it, it
//! gets as many as would succeed there for each that succeeds elsewhere. At the least it gets a
//! tenth of an equal share, so that its recovery is seen. No time is measured: under a low load
//! both the harm and the recovery are slow.

/// About this many requests count: each new one moves the share by 1/`MEMORY`.
const MEMORY: u32 = 16;
/// 1 as a share. Shares are whole numbers so that a sum of them is exact.
const ONE: u32 = 1 << 16;
/// So many standard deviations, and so many requests, must the failures exceed those of the others.
const DEVIATIONS: f64 = 2.0;
const MARGIN: f64 = 2.0;
/// A server that is not trusted gets a request after this many equal shares.
const EQUAL_SHARES: u64 = 10;

/// What is known of a server's failures.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// The share of requests that failed.
    share: u32,
    /// How many requests that is the mean of, at most [`MEMORY`].
    requests: u32,
    /// How many requests all servers had got when this one got its last.
    pub(crate) sent_at: u64,
}

/// The failures of all servers together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AllFaults {
    /// The sum of all shares.
    shares: u64,
}

impl Faults {
    /// Whether a request failed lately.
    #[inline]
    pub(crate) fn is_free(&self) -> bool {
        self.share == 0
    }

    /// The share of requests that succeed here, for each that succeeds on one of the other
    /// `servers` − 1; 1 if the difference is not clear.
    pub(crate) fn trust(&self, all: AllFaults, servers: usize) -> f64 {
        if self.is_free() || servers < 2 {
            return 1.0;
        }
        let others = all.shares.saturating_sub(u64::from(self.share)) as f64;
        let elsewhere = others / (f64::from(ONE) * (servers - 1) as f64);
        let here = f64::from(self.share) / f64::from(ONE);
        let requests = f64::from(self.requests);
        let deviation = (requests * elsewhere * (1.0 - elsewhere)).max(0.0).sqrt();
        let excess = requests * (here - elsewhere);
        if excess <= DEVIATIONS * deviation + MARGIN {
            return 1.0;
        }
        (1.0 - here) / (1.0 - elsewhere)
    }

    /// Whether the server, trusted or not, is to get a request now, after `sends` requests to all
    /// servers, of which `open` may be chosen.
    pub(crate) fn is_due(&self, sends: u64, open: usize) -> bool {
        sends.saturating_sub(self.sent_at) >= EQUAL_SHARES * open as u64
    }
}

impl AllFaults {
    /// A request to the server with these faults has failed or not.
    #[inline(always)]
    pub(crate) fn record(&mut self, faults: &mut Faults, failed: bool) {
        self.shares -= u64::from(faults.share);
        faults.requests = (faults.requests + 1).min(MEMORY);
        let (share, requests) = (faults.share, faults.requests);
        // Rounded towards both ends, so that a run of equal outcomes reaches them.
        faults.share = if failed {
            share + (ONE - share).div_ceil(requests)
        } else {
            share - share.div_ceil(requests)
        };
        self.shares += u64::from(faults.share);
    }

    /// The server with these faults leaves.
    pub(crate) fn forget(&mut self, faults: Faults) {
        self.shares -= u64::from(faults.share);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(all: &mut AllFaults, faults: &mut Faults, failed: &[bool]) {
        failed.iter().for_each(|&it| all.record(faults, it));
    }

    #[test]
    fn three_failures_in_a_row_are_clear() {
        let (mut all, mut faults) = (AllFaults::default(), Faults::default());
        for trust in [1.0, 1.0, 0.0, 0.0] {
            record(&mut all, &mut faults, &[true]);
            assert_eq!(faults.trust(all, 20), trust);
        }
        assert_eq!(faults.trust(all, 1), 1.0);
        // It recovers with its answers.
        record(&mut all, &mut faults, &[false; 4]);
        let trust = faults.trust(all, 20);
        assert!((trust - 0.5).abs() < 1e-3, "{trust}");
        record(&mut all, &mut faults, &[false; 400]);
        assert!(faults.is_free() && all.shares == 0);
    }

    #[test]
    fn failures_that_all_servers_share_are_no_fault() {
        let mut all = AllFaults::default();
        let mut servers = [Faults::default(); 4];
        for server in &mut servers {
            record(&mut all, server, &[true; 30]);
        }
        assert!(servers.iter().all(|server| server.trust(all, 4) == 1.0));
        record(&mut all, &mut servers[0], &[false; 30]);
        assert_eq!(servers[0].trust(all, 4), 1.0);
        assert_eq!(
            servers[1].trust(all, 4),
            1.0,
            "two of three others fail too"
        );
        for server in servers {
            all.forget(server);
        }
        assert_eq!(all.shares, 0);
    }

    #[test]
    fn a_probe_after_ten_equal_shares() {
        let faults = Faults {
            sent_at: 100,
            ..Faults::default()
        };
        assert!(!faults.is_due(299, 20) && faults.is_due(300, 20));
    }
}
