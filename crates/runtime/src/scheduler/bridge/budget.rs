//! One container's processors, shared out once.

use core::fmt;
use core::num::NonZero;

use super::quota;
use crate::sync::{Arc, Mutex, lock};

/// The processors of this process, to be shared out among a pool and an executor.
///
/// A pool and an executor that are each left to their defaults start one thread for each processor:
/// twice as many as there are. In a container with a quota, threads that run at the same time use
/// it up early in each period, and then *all* of them stop until the next period begins: every
/// request of the executor waits, although the batches of the pool have caused it. Shares of one
/// budget never add up to more than the processors that there are.
///
/// ```
/// use filch::{CoreBudget, Pool};
///
/// let budget = CoreBudget::new(4); // CoreBudget::of_process() in a program.
/// let for_requests = budget.take(1)?;
/// let for_batches = budget.take_rest()?;
/// let runtime = tokio::runtime::Builder::new_multi_thread()
///     .worker_threads(for_requests.count())
///     .build()?;
/// let pool = Pool::new(for_batches.count())?;
/// assert_eq!(runtime.block_on(pool.run(|| 6 * 7)), 42);
/// assert_eq!(pool.threads(), 3);
/// assert!(budget.take(1).is_err(), "all are in use");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CoreBudget {
    total: usize,
    left: Arc<Mutex<usize>>,
}

impl CoreBudget {
    /// The processors that this process may use: by its affinity, and by the quotas (`cpu.max`) of
    /// its control group and those around it. A quota of 2.5 processors counts as two, because a
    /// third thread would exceed it; less than one counts as one.
    ///
    /// Each call makes a budget of its own: a process needs one.
    pub fn of_process() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self::new(whole(processors, Self::quota()))
    }

    /// So many processors; one, if it is zero.
    pub fn new(cores: usize) -> Self {
        let total = cores.max(1);
        Self {
            total,
            left: Arc::new(Mutex::new(total)),
        }
    }

    /// The quota of this process's control group, in processors. `None` if there is no limit, or no
    /// control group of version 2.
    pub fn quota() -> Option<f64> {
        quota::of_process()
    }

    /// How many processors there are in all.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Takes so many processors out of the budget, until the returned value is dropped.
    ///
    /// # Errors
    ///
    /// If fewer are left, or none is asked for.
    pub fn take(&self, cores: usize) -> Result<Cores, NoCores> {
        self.take_of(|_| cores)
    }

    /// Takes all that are left.
    ///
    /// # Errors
    ///
    /// If none is left.
    pub fn take_rest(&self) -> Result<Cores, NoCores> {
        self.take_of(|left| left)
    }

    fn take_of(&self, share: impl FnOnce(usize) -> usize) -> Result<Cores, NoCores> {
        let mut left = lock(&self.left);
        let (asked, available) = (share(*left), *left);
        if asked == 0 || asked > available {
            return Err(NoCores { asked, available });
        }
        *left -= asked;
        Ok(Cores {
            count: asked,
            left: Arc::clone(&self.left),
        })
    }
}

fn whole(processors: usize, quota: Option<f64>) -> usize {
    let allowed = quota.map_or(usize::MAX, |quota| quota as usize);
    processors.min(allowed).max(1)
}

/// A share of a [`CoreBudget`]. Keep it for as long as the threads exist: dropping it gives the
/// processors back.
#[must_use = "dropping it gives the processors back"]
pub struct Cores {
    count: usize,
    left: Arc<Mutex<usize>>,
}

impl Cores {
    /// How many threads to start.
    pub fn count(&self) -> usize {
        self.count
    }
}

impl Drop for Cores {
    fn drop(&mut self) {
        *lock(&self.left) += self.count;
    }
}

/// There are not so many processors left in a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoCores {
    asked: usize,
    available: usize,
}

impl fmt::Display for NoCores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asked, available } = self;
        write!(
            f,
            "{asked} processors were asked for, and {available} are left in the budget: \
             ask for at least one and at most so many"
        )
    }
}

impl std::error::Error for NoCores {}

impl fmt::Debug for CoreBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CoreBudget")
            .field("total", &self.total)
            .field("left", &*lock(&self.left))
            .finish()
    }
}

impl fmt::Debug for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cores").field("count", &self.count).finish()
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn a_quota_is_rounded_down_but_not_to_nothing() {
        let cases = [
            (8, None, 8),
            (8, Some(2.5), 2),
            (2, Some(4.0), 2),
            (4, Some(0.5), 1),
        ];
        for (processors, quota, cores) in cases {
            assert_eq!(whole(processors, quota), cores);
        }
    }

    #[test]
    fn shares_never_add_up_to_more() {
        let budget = CoreBudget::new(3);
        let two = budget.take(2).unwrap();
        let refused = budget.take(2).unwrap_err();
        assert!(refused.to_string().contains("1 are left"), "{refused}");
        let one = budget.clone().take_rest().unwrap();
        assert_eq!((two.count(), one.count()), (2, 1));
        assert!(budget.take_rest().is_err());
        drop(two);
        assert_eq!(budget.take(2).unwrap().count(), 2);
        assert!(budget.take(0).is_err());
    }

    #[test]
    fn the_process_has_processors() {
        let budget = CoreBudget::of_process();
        let most = std::thread::available_parallelism().map_or(1, NonZero::get);
        assert!((1..=most).contains(&budget.total()));
    }
}
