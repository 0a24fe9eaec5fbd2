use super::completions::Served;
use super::service::padded;

/// How old the jobs in each queue are, for all servers at once: row k says of each server how many of its jobs have
/// been there for at least k slots.
///
/// Jobs leave in order, so whoever lets `left` jobs go has that many fewer in each of its rows, or none: no server has to be
/// looked at by itself. How many jobs of all servers together leave at which age follows from the sums of the rows. A
/// row costs little, since its numbers have 16 bits, so this is the way while jobs are many and all of them young, as
/// batches that are split among many servers make them.
#[derive(Clone, Debug)]
pub(super) struct Ages {
    /// A ring of [`MOST`] rows, each with a number for each server and padding.
    rows: Vec<u16>,
    lanes: usize,
    /// The sum of each row.
    sums: [u16; MOST],
    /// The row for age 0, which are all jobs; older ones follow.
    first: usize,
    /// So many rows have jobs.
    used: usize,
    /// How many jobs leave each server in the present slot.
    left: Vec<u16>,
}

/// Jobs may have been there for fewer slots than this. That makes fewer sub-batches than
/// [`most_entries`](super::most_entries) allows, so nobody has to be left out.
pub(super) const MOST: usize = 64;

impl Ages {
    /// Nobody has jobs.
    pub(super) fn none(servers: usize) -> Self {
        let lanes = padded(servers);
        Self {
            rows: vec![0; MOST * lanes],
            lanes,
            sums: [0; MOST],
            first: 0,
            used: 0,
            left: vec![0; lanes],
        }
    }

    /// Whether a slot can be gone through in which `jobs` arrive.
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

    /// A slot for which there is room. Tells `counted` for each age how many jobs leave at it.
    pub(super) fn pass(&mut self, served: Served<'_>, mut counted: impl FnMut(u32, u32)) {
        narrow(served.left, &mut self.left);
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
            // If nobody is as old, nobody is older.
            if used == age {
                let numbers = &mut self.rows[row * self.lanes..][..self.lanes];
                rest = drain(numbers, &self.left);
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

    /// Tells `found` all jobs of each server, the oldest first: server, age and how many.
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

/// The same numbers, which have 16 bits.
#[inline]
fn narrow(numbers: &[u32], narrowed: &mut [u16]) {
    for (narrowed, &number) in narrowed.iter_mut().zip(numbers) {
        *narrowed = number as u16;
    }
}

/// Takes from each number what left, and returns the sum of all.
#[inline(never)]
fn drain(numbers: &mut [u16], left: &[u16]) -> u16 {
    let mut sum = 0u16;
    for (number, &left) in numbers.iter_mut().zip(left) {
        *number = number.saturating_sub(left);
        sum = sum.wrapping_add(*number);
    }
    sum
}
