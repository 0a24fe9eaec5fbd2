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
    /// Counts a connection from this address, unless there are `all` connections already, or
    /// `each` from that address.
    pub(super) fn admit(
        self: &Arc<Self>,
        address: IpAddr,
        all: usize,
        each: usize,
    ) -> Option<OpenConnection> {
        let mut counts = unpoisoned(self.counts.lock());
        let from_address = counts.by_address.get(&address).copied().unwrap_or(0);
        if counts.all >= all || from_address >= each {
            return None;
        }
        counts.all += 1;
        counts.by_address.insert(address, from_address + 1);
        Some(OpenConnection {
            all: Arc::clone(self),
            address,
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
    address: IpAddr,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut counts = unpoisoned(self.all.counts.lock());
        counts.all -= 1;
        if let Some(number) = counts.by_address.get_mut(&self.address) {
            *number -= 1;
            if *number == 0 {
                counts.by_address.remove(&self.address);
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
        let admit = |last| open.admit(address(last), 3, 2);
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
