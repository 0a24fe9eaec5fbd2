use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use crate::poison::unpoisoned;

/// The connections of clients that are open.
#[derive(Debug, Default)]
pub(crate) struct OpenConnections {
    counts: Mutex<ConnectionCounts>,
    none: Notify,
}

#[derive(Debug, Default)]
struct ConnectionCounts {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

impl OpenConnections {
    /// Counts a connection, unless there are `all` connections already.
    pub(super) fn admit(self: &Arc<Self>, all: usize) -> Option<OpenConnection> {
        let mut counts = unpoisoned(self.counts.lock());
        if counts.all >= all {
            return None;
        }
        counts.all += 1;
        Some(OpenConnection {
            all: Arc::clone(self),
            address: None,
        })
    }

    pub(crate) fn number(&self) -> usize {
        unpoisoned(self.counts.lock()).all
    }

    /// Waits until no connection is open.
    pub(crate) async fn closed(&self) {
        loop {
            let none = self.none.notified();
            if self.number() == 0 {
                return;
            }
            none.await;
        }
    }
}

/// A connection, counted for as long as this lives.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    all: Arc<OpenConnections>,
    /// Where it is from, if that is known.
    address: Option<IpAddr>,
}

impl OpenConnection {
    /// Counts it as one from this address, if there is one, unless there are `each` from there
    /// already.
    pub(super) fn from(mut self, address: Option<IpAddr>, each: usize) -> Option<Self> {
        let Some(address) = address else {
            return Some(self);
        };
        let mut counts = unpoisoned(self.all.counts.lock());
        let number = counts.by_address.entry(address).or_default();
        let is_admitted = *number < each;
        if is_admitted {
            *number += 1;
        }
        drop(counts);
        if is_admitted {
            self.address = Some(address);
        }
        is_admitted.then_some(self)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut counts = unpoisoned(self.all.counts.lock());
        counts.all -= 1;
        if let Some(address) = self.address
            && let Some(number) = counts.by_address.get_mut(&address)
        {
            *number -= 1;
            if *number == 0 {
                counts.by_address.remove(&address);
            }
        }
        let is_last = counts.all == 0;
        drop(counts);
        if is_last {
            self.all.none.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_counted_in_all_and_for_each_address() {
        let open = Arc::new(OpenConnections::default());
        let address = |last| IpAddr::from([127, 0, 0, last]);
        let admit = |last| open.admit(3)?.from(Some(address(last)), 2);
        let first = admit(1).unwrap();
        let _second = admit(1).unwrap();
        assert!(admit(1).is_none(), "this address has two");
        let _third = admit(2).unwrap();
        assert!(admit(3).is_none(), "there are three in all");
        drop(first);
        assert_eq!(open.number(), 2);
        assert!(admit(1).is_some());
    }
}
