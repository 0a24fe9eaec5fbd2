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
    pub const fn of(servers: usize) -> Self {
        Self {
            servers,
            queues: None,
            speeds: None,
        }
    }

    /// Servers whose queue lengths (all jobs not yet finished) are known.
    pub const fn of_queues(queues: &'a [u32]) -> Self {
        Self {
            servers: queues.len(),
            queues: Some(queues),
            speeds: None,
        }
    }

    /// The same servers, with known speeds: jobs per unit of time, each finite and above 0.
    ///
    /// # Panics
    ///
    /// If there is not one speed for each server.
    #[must_use]
    pub const fn with_speeds(self, speeds: &'a [f64]) -> Self {
        assert!(speeds.len() == self.servers, "one speed for each server");
        Self {
            speeds: Some(speeds),
            ..self
        }
    }

    /// How many servers there are.
    pub const fn servers(&self) -> usize {
        self.servers
    }

    /// The queue lengths.
    ///
    /// # Panics
    ///
    /// If they are not known. [`Spec::start`](super::Spec::start) refuses a policy that would need
    /// them, so this is a bug of a caller that changed the kind of its view later.
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
    #[track_caller]
    pub const fn speeds(&self) -> &'a [f64] {
        self.speeds
            .expect("the policy needs speeds, which the view does not show")
    }

    /// Which of the needs the view does not meet.
    pub(super) const fn lacks(&self, needs: Needs) -> Needs {
        Needs {
            queues: needs.queues && self.queues.is_none(),
            speeds: needs.speeds && self.speeds.is_none(),
        }
    }
}
