use super::Class;
use crate::scheduler::handle::JoinHandle;
use crate::scheduler::job::Task;
use crate::scheduler::pool::{Pool, PoolShared, spawn_on};
use crate::scheduler::queue::JobKind;
use crate::scheduler::record;
use crate::scheduler::worker::Worker;
use crate::sync::Arc;

impl Pool {
    /// [`spawn`](crate::spawn) on this pool, in a class. Whenever a worker turns to the next of these
    /// jobs, it is the oldest one of the highest class.
    ///
    /// **No class starves.** A class that has waited while 16 such jobs of higher classes began
    /// comes next. So at most 17 such jobs begin before one that is the first of its class. A job
    /// that was cancelled in the line counts as one that began.
    ///
    /// A job that has begun is not interrupted. So a job of the highest class waits until one of
    /// the workers has ended the job, or the piece of strict work, that it runs.
    ///
    /// Jobs of [`spawn`](crate::spawn) have no class: they keep their places in the queues, and no
    /// class overtakes them. The same holds for jobs that a worker of another pool spawns with a
    /// class.
    ///
    /// ```
    /// use filch::Class;
    /// use std::sync::mpsc::channel;
    ///
    /// let pool = filch::Pool::new(1)?;
    /// let (sender, begun) = channel();
    /// let spawn = |class, name| {
    ///     let sender = sender.clone();
    ///     pool.spawn_in(class, move || sender.send(name));
    /// };
    /// let (open, gate) = channel::<()>();
    /// pool.spawn(move || gate.recv()); // The only worker is busy.
    /// spawn(Class::Low, "batch");
    /// spawn(Class::High, "request");
    /// open.send(())?;
    /// assert_eq!([begun.recv()?, begun.recv()?], ["request", "batch"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spawn_in<F, T>(&self, class: Class, job: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_in(self.shared(), class, job)
    }
}

pub(crate) fn spawn_in<F, T>(shared: &Arc<PoolShared>, class: Class, job: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let current = Worker::current();
    let own = current.filter(|worker| worker.is_of(shared));
    if current.is_some() && own.is_none() {
        // A call may have to run on top of a waiting frame, and the first job of the line may not.
        return spawn_on(shared, job);
    }
    let task = Task::new(record::detached(job));
    let call = own.and_then(Worker::call);
    shared.assert_same_process();
    let turn = shared.lanes.push(class, task.job().within(call));
    match own {
        Some(worker) => shared.push_local(worker, [turn]),
        None => shared.dispatch(turn, JobKind::Plain),
    }
    JoinHandle::new(task, Arc::clone(shared), None)
}
