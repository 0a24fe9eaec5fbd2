use super::completions::Served;
use super::service::padded;

/// The ages of the jobs in all queues at once: row k has, for each server, the number of its jobs
/// that have been there for at least k slots.
///
/// Jobs leave in order, so a server from which d jobs depart has d fewer in each of its rows, or
/// none. This is one vectorised subtraction for each row, without a branch for each server. The
/// sums of the rows give the number of jobs that leave at each age. Rows have 16 bits for each
/// server. They are fast while there are many jobs and all of them are young, as under split
/// batches.
#[derive(Clone, Debug)]
pub(super) struct Ages {
    /// A ring of [`MOST`] rows, each with a number for each server and padding.
    rows: Vec<u16>,
    lanes: usize,
    /// The sum of each row.
    sums: [u16; MOST],
    /// The row for age 0, which are all jobs; older ones follow.
    first: usize,
    /// The number of rows that have jobs.
    used: usize,
    /// How many jobs depart from each server in the present slot.
    departed: Vec<u16>,
}

/// The number of ages: jobs are younger than this. They make fewer sub-batches than
/// [`most_entries`](super::most_entries) allows, so all of them are timed.
pub(super) const MOST: usize = 64;

impl Ages {
    /// Empty queues.
    pub(super) fn none(servers: usize) -> Self {
        let lanes = padded(servers);
        Self {
            rows: vec![0; MOST * lanes],
            lanes,
            sums: [0; MOST],
            first: 0,
            used: 0,
            departed: vec![0; lanes],
        }
    }

    /// Whether the rows can represent a slot in which `jobs` arrive.
    #[inline]
    pub(super) fn has_room(&self, jobs: u32) -> bool {
        self.used < MOST && jobs <= u32::from(u16::MAX - self.waiting())
    }

    fn waiting(&self) -> u16 {
        if self.used > 0 {
            self.sums[self.first]
        } else {
            0
        }
    }

    /// The row for an age, by its number.
    fn row(&self, age: usize) -> usize {
        (self.first + age) % MOST
    }

    /// One slot, for which there is room. Calls `counted` with each age and the number of jobs that
    /// leave at it.
    pub(super) fn pass(&mut self, served: Served<'_>, mut counted: impl FnMut(u32, u32)) {
        narrow(served.departed, &mut self.departed);
        // Jobs that leave, at any age.
        let mut leaving = u32::from(self.waiting()) + served.jobs - served.waiting;
        self.first = self.row(MOST - 1);
        let mut used = 0;
        if served.waiting > 0 {
            let numbers = &mut self.rows[self.first * self.lanes..][..self.lanes];
            narrow(served.queues, numbers);
            self.sums[self.first] = served.waiting as u16;
            used = 1;
        }
        for age in 1..=self.used {
            let row = self.row(age);
            let before = self.sums[row];
            let mut rest = 0;
            // If no job is as old, none is older.
            if used == age {
                let numbers = &mut self.rows[row * self.lanes..][..self.lanes];
                rest = drain(numbers, &self.departed);
                used += usize::from(rest > 0);
            }
            self.sums[row] = rest;
            let older = u32::from(before - rest);
            counted(age as u32 - 1, leaving - older);
            leaving = older;
        }
        counted(self.used as u32, leaving);
        self.used = used;
    }

    /// Calls `found` with all jobs of each server, the oldest first: server, age and number.
    pub(super) fn each(&self, mut found: impl FnMut(usize, u32, u32)) {
        for server in 0..self.lanes {
            let mut older = 0;
            for age in (0..self.used).rev() {
                let jobs = self.rows[self.row(age) * self.lanes + server];
                if jobs > older {
                    found(server, age as u32, u32::from(jobs - older));
                }
                older = jobs;
            }
        }
    }
}

/// The same numbers in 16 bits, which they fit.
#[inline]
fn narrow(numbers: &[u32], narrowed: &mut [u16]) {
    for (narrowed, &number) in narrowed.iter_mut().zip(numbers) {
        *narrowed = number as u16;
    }
}

/// Subtracts from each number what departed, down to 0, and returns the sum.
#[inline(never)]
fn drain(numbers: &mut [u16], departed: &[u16]) -> u16 {
    let mut sum = 0u16;
    for (number, &departed) in numbers.iter_mut().zip(departed) {
        *number = number.saturating_sub(departed);
        sum = sum.wrapping_add(*number);
    }
    sum
}
