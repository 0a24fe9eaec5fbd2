/// What a dispatcher may know of the servers when it decides.
///
/// ```
/// use filch_policy::dispatch::View;
///
/// let tokens_only = View::of(100);                       // a thread pool, a distant farm
/// let queues = View::of_queues(&[3, 0, 1]);              // a simulation, or least outstanding
/// let speeds = View::of_queues(&[3, 0, 1]).with_speeds(&[1.0, 1.0, 10.0]);
/// assert_eq!(tokens_only.servers(), 100);
/// assert_eq!(speeds.queues(), queues.queues());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    servers: usize,
    queues: Option<&'a [u32]>,
    speeds: Option<&'a [f64]>,
    slots: Option<&'a [u32]>,
}

/// What a policy must be able to see to decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Queue lengths (it probes some or all of them for each batch).
    pub queues: bool,
    /// Speeds of the servers.
    pub speeds: bool,
}

impl Needs {
    /// Sees nothing but tokens.
    pub const NOTHING: Self = Self {
        queues: false,
        speeds: false,
    };
    /// Probes queue lengths.
    pub const QUEUES: Self = Self {
        queues: true,
        speeds: false,
    };
    /// Probes queue lengths and knows speeds.
    pub const QUEUES_AND_SPEEDS: Self = Self {
        queues: true,
        speeds: true,
    };
}

impl<'a> View<'a> {
    /// `servers` servers of which nothing is seen.
    #[inline]
    pub const fn of(servers: usize) -> Self {
        Self {
            servers,
            queues: None,
            speeds: None,
            slots: None,
        }
    }

    /// Servers whose queue lengths (all jobs not yet finished) are known.
    #[inline]
    pub const fn of_queues(queues: &'a [u32]) -> Self {
        Self {
            servers: queues.len(),
            queues: Some(queues),
            speeds: None,
            slots: None,
        }
    }

    /// The same servers, with known speeds: jobs per unit of time, each finite and above 0.
    ///
    /// A learned speed of any other value is a bug of the learner. A debug build panics. A release
    /// build keeps routing: it takes 0, negative numbers and NaN for a server slower than all
    /// others, and infinity for one faster than all.
    ///
    /// # Panics
    ///
    /// If there is not one speed for each server; with debug assertions, also if a speed is not
    /// finite and above 0.
    #[inline]
    #[must_use]
    pub const fn with_speeds(self, speeds: &'a [f64]) -> Self {
        let mut server = 0;
        while cfg!(debug_assertions) && server < speeds.len() {
            assert!(
                speeds[server] > 0.0 && speeds[server].is_finite(),
                "a speed is finite and above 0"
            );
            server += 1;
        }
        self.with_any_speeds(speeds)
    }

    /// [`with_speeds`](Self::with_speeds) as a release build does it.
    #[inline]
    pub(super) const fn with_any_speeds(self, speeds: &'a [f64]) -> Self {
        assert!(speeds.len() == self.servers, "one speed for each server");
        Self {
            speeds: Some(speeds),
            ..self
        }
    }

    /// The same servers, each of which serves so many jobs at a time; one if this is not known. The
    /// speed is then that of one job: a server of speed 2 that serves four jobs at a time completes
    /// 8 per unit of time.
    ///
    /// # Panics
    ///
    /// If there is not one number for each server.
    #[inline]
    #[must_use]
    pub const fn with_slots(self, slots: &'a [u32]) -> Self {
        assert!(slots.len() == self.servers, "one number for each server");
        Self {
            slots: Some(slots),
            ..self
        }
    }

    /// How many jobs `server` serves at a time, at least 1.
    #[inline]
    pub const fn slots(&self, server: usize) -> u32 {
        match self.slots {
            Some(slots) if slots[server] > 1 => slots[server],
            _ => 1,
        }
    }

    /// How many servers there are.
    #[inline]
    pub const fn servers(&self) -> usize {
        self.servers
    }

    /// The queue lengths.
    ///
    /// # Panics
    ///
    /// If they are not known. [`Spec::start`](super::Spec::start) refuses a policy that would need
    /// them, so this is a bug of a caller that changed the kind of its view later.
    #[inline]
    #[track_caller]
    pub const fn queues(&self) -> &'a [u32] {
        self.queues
            .expect("the policy needs queue lengths, which the view does not show")
    }

    /// The speeds.
    ///
    /// # Panics
    ///
    /// If they are not known, as [`queues`](Self::queues) does.
    #[inline]
    #[track_caller]
    pub const fn speeds(&self) -> &'a [f64] {
        self.speeds
            .expect("the policy needs speeds, which the view does not show")
    }

    /// The speed of `server` as a number to decide by: at least 0 and not NaN.
    #[inline]
    pub(super) fn speed(&self, server: usize) -> f64 {
        usable(self.speeds()[server])
    }

    /// Which of the needs the view does not meet.
    pub(super) const fn lacks(&self, needs: Needs) -> Needs {
        Needs {
            queues: needs.queues && self.queues.is_none(),
            speeds: needs.speeds && self.speeds.is_none(),
        }
    }
}

/// `speed` if it is above 0, otherwise 0: slower than all, and safe to compare.
#[inline]
pub(super) fn usable(speed: f64) -> f64 {
    if speed > 0.0 { speed } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::{Assignment, Dispatch, Spec};
    use filch_random::{Purpose, Seed};

    #[test]
    #[cfg(debug_assertions)]
    fn bad_speeds_are_found_in_debug_builds() {
        for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let speeds = [1.0, speed];
            let view = std::panic::catch_unwind(|| View::of(2).with_speeds(&speeds));
            assert!(view.is_err(), "{speed}");
        }
    }

    /// Without the assertion: no policy panics or loses a job, a good server is preferred to one
    /// with a bad speed, and idle servers still come first.
    #[test]
    fn bad_speeds_do_no_harm_in_release_builds() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        for bad in [0.0, -0.0, -1.0, f64::NEG_INFINITY, f64::NAN] {
            for (speeds, queues) in [
                ([bad, 1.0, bad], [2, 3, 2]),
                ([bad; 3], [2, 3, 2]),
                ([1.0, f64::INFINITY, bad], [2, 3, 2]),
                ([0.5, f64::INFINITY, bad], [0, 3, 0]),
                ([1e-200, 1e200, bad], [0, 3, 0]),
            ] {
                let view = View::of_queues(&queues).with_any_speeds(&speeds);
                for policy in Spec::examples(2) {
                    let mut dispatcher = policy.start(&view).unwrap();
                    dispatcher.withdraw(2);
                    let mut batch = Assignment::over(3);
                    let first = dispatcher.whole(1, &view, &mut rng);
                    dispatcher.split(7, &view, &mut rng, &mut batch);
                    let jobs: u32 = batch.iter().map(|(_, jobs)| jobs).sum();
                    assert_eq!(jobs, 7, "{policy} {speeds:?}");
                    if policy.listens() {
                        assert_ne!(first, 2, "{policy} chose a busy server, {speeds:?}");
                    }
                    let by_speed =
                        ["sed", "idle-fastest("].map(|head| policy.to_string().starts_with(head));
                    if by_speed.contains(&true) && speeds[1] > 0.0 {
                        assert_eq!(first, 1, "{policy} {speeds:?}");
                    }
                }
            }
        }
    }
}
