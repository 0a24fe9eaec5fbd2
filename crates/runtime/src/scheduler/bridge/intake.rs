//! Back-pressure: a bound on the jobs that wait.

use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll};

use super::Run;
use super::permits::{Permits, Place};
use crate::scheduler::classes::{Class, spawn_in};
use crate::scheduler::handle::JoinHandle;
use crate::scheduler::job::Task;
use crate::scheduler::pool::{Pool, PoolShared, spawn_on};
use crate::sync::Arc;

/// A way into a pool that lets a bounded number of jobs wait: see [`Pool::intake`]. Clones share
/// the bound.
///
/// It does not keep the pool alive. Once the pool is dropped, only its own jobs may send more, as
/// long as one of them runs; other threads get [`Refused::Closed`].
#[derive(Clone)]
pub struct Intake {
    door: Arc<Door>,
}

struct Door {
    pool: Arc<PoolShared>,
    class: Option<Class>,
    permits: Permits,
}

impl Pool {
    /// A way into this pool through which at most `waiting` jobs wait to begin. A job that has
    /// begun does not count any more. Jobs that are sent by other ways do not count either.
    ///
    /// An executor that accepts requests faster than a pool works them off fills the memory with
    /// closures, and each request waits for all before it. With a bound, the server
    /// [refuses](Intake::try_spawn) what is too much or [awaits](Intake::permit) its turn before it
    /// accepts more.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let pool = filch::Pool::new(2)?;
    /// let intake = pool.intake(100);
    /// let permit = intake.permit().await; // Before the request is read.
    /// assert_eq!(permit.run(|| 6 * 7).await, 42);
    /// assert_eq!(intake.try_spawn(|| 7)?.await.unwrap(), 7);
    /// # Ok(())
    /// # }
    /// ```
    pub fn intake(&self, waiting: usize) -> Intake {
        Intake::new(self, None, waiting)
    }

    /// [`intake`](Self::intake) for jobs of a class, as [`spawn_in`](Self::spawn_in).
    pub fn intake_in(&self, class: Class, waiting: usize) -> Intake {
        Intake::new(self, Some(class), waiting)
    }
}

impl Intake {
    fn new(pool: &Pool, class: Option<Class>, waiting: usize) -> Self {
        let door = Door {
            pool: Arc::clone(pool.shared()),
            class,
            permits: Permits::new(waiting),
        };
        Self {
            door: Arc::new(door),
        }
    }

    /// Sends a job, unless too many wait.
    ///
    /// # Errors
    ///
    /// With the job, if too many wait or the pool was dropped.
    pub fn try_spawn<F, T>(&self, job: F) -> Result<JoinHandle<T>, Refused<F>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        match self.try_permit() {
            Some(permit) => permit.try_spawn(job),
            None => Err(Refused::Full(job)),
        }
    }

    /// The permission to send a job, if one is free.
    pub fn try_permit(&self) -> Option<Permit> {
        let door = &self.door;
        door.permits.try_take().then(|| Permit::of(door))
    }

    /// Awaits the permission to send a job. Those that await one get it in the order in which they
    /// first polled. Dropping the future gives the place in that order up.
    pub fn permit(&self) -> Admission {
        Admission {
            door: Arc::clone(&self.door),
            place: Place::default(),
        }
    }

    /// How many jobs could be sent at this moment.
    pub fn free(&self) -> usize {
        self.door.permits.free()
    }
}

/// A [`Permit`] that is awaited.
#[must_use = "futures do nothing unless they are awaited"]
pub struct Admission {
    door: Arc<Door>,
    place: Place,
}

impl Future for Admission {
    type Output = Permit;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit> {
        let Self { door, place } = self.get_mut();
        let admitted = door.permits.poll(place, context.waker());
        admitted.map(|()| Permit::of(door))
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.door.permits.leave(&mut self.place);
    }
}

/// The permission to send one job. Dropping it passes it on.
#[must_use = "dropping it passes the permission on"]
pub struct Permit {
    door: Arc<Door>,
}

impl Permit {
    fn of(door: &Arc<Door>) -> Self {
        Self {
            door: Arc::clone(door),
        }
    }

    /// Sends the job. The permission is passed on when it begins, or when it is cancelled.
    ///
    /// If the pool was dropped meanwhile, the job is dropped, and its handle says so as if the job
    /// had panicked.
    pub fn spawn<F, T>(self, job: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let pool = Arc::clone(&self.door.pool);
        self.try_spawn(job).unwrap_or_else(|refused| {
            let task = Task::new(refused.into_job());
            task.refuse("the pool was dropped before the job was sent");
            JoinHandle::new(task, pool, None)
        })
    }

    /// Sends the job, unless the pool was dropped.
    fn try_spawn<F, T>(self, job: F) -> Result<JoinHandle<T>, Refused<F>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (pool, class) = (Arc::clone(&self.door.pool), self.door.class);
        let Some(_sender) = pool.begin_sending() else {
            return Err(Refused::Closed(job));
        };
        let job = move || {
            drop(self);
            job()
        };
        Ok(match class {
            Some(class) => spawn_in(&pool, class, job),
            None => spawn_on(&pool, job),
        })
    }

    /// Sends the job and awaits its result, as [`Pool::run`].
    ///
    /// # Panics
    ///
    /// The future panics, if the pool was dropped before this call.
    pub fn run<F, T>(self, job: F) -> Run<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        Run::of(self.spawn(job))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.door.permits.give_back();
    }
}

/// A job that was not sent comes back.
pub enum Refused<F> {
    /// Too many jobs wait.
    Full(F),
    /// The pool was dropped.
    Closed(F),
}

impl<F> Refused<F> {
    /// The job.
    pub fn into_job(self) -> F {
        match self {
            Self::Full(job) | Self::Closed(job) => job,
        }
    }
}

impl<F> fmt::Display for Refused<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "too many jobs wait: try again later, or await a permit",
            Self::Closed(_) => "the pool was dropped",
        })
    }
}

impl<F> fmt::Debug for Refused<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::Closed(_) => "Closed(..)",
        })
    }
}

impl<F> std::error::Error for Refused<F> {}

impl fmt::Debug for Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intake")
            .field("class", &self.door.class)
            .field("free", &self.free())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission").finish_non_exhaustive()
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").finish_non_exhaustive()
    }
}
