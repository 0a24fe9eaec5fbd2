use std::io;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;

/// The threads that serve clients.
///
/// Each has a runtime of its own. A connection stays with the worker that has accepted it, and so
/// do the connections to servers that its requests use, so that no request wakes another thread.
/// The threads end, with all connections that are left, when this is dropped.
#[derive(Debug)]
pub(crate) struct Workers {
    handles: Vec<Handle>,
    _stop: watch::Sender<()>,
}

impl Workers {
    pub(crate) fn start(number: usize) -> io::Result<Self> {
        let stop = watch::Sender::new(());
        let handles = (0..number).map(|place| {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let handle = runtime.handle().clone();
            let mut stopped = stop.subscribe();
            thread::Builder::new()
                .name(format!("proxy {place}"))
                .spawn(move || {
                    // Nothing is ever sent: this ends when the sender is dropped.
                    let _ = runtime.block_on(stopped.changed());
                })?;
            Ok(handle)
        });
        let handles = handles.collect::<io::Result<_>>()?;
        Ok(Self {
            handles,
            _stop: stop,
        })
    }

    /// The runtimes of the workers.
    pub(crate) fn handles(&self) -> &[Handle] {
        &self.handles
    }
}
