use filch_workload::ServiceLaw;

/// A server of the fleet: how long requests take, how many are served at once, and what changes.
///
/// ```
/// use filch_sim::fleet::{FleetServer, Phase};
/// use filch_workload::ServiceTime;
///
/// // Four at a time; ten times slower for the second ten seconds.
/// let law: ServiceTime = "exp:20".parse()?;
/// let server = FleetServer::of(law)
///     .at_once(4)
///     .phase(Phase::slower(10_000.0, 10.0))
///     .phase(Phase::slower(20_000.0, 1.0));
/// assert_eq!(server.capacity(), 0.2);
/// # Ok::<(), filch_workload::Invalid>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FleetServer<S> {
    pub(super) law: S,
    pub(super) at_once: u32,
    pub(super) shares: bool,
    pub(super) joins: f64,
    pub(super) phases: Vec<Phase>,
}

/// How a server behaves from an instant on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// From when on.
    pub from: f64,
    /// Requests take so many times as long.
    pub slowness: f64,
    /// The share of requests that fail.
    pub failing: f64,
    /// How long a request takes that fails.
    pub failure: f64,
}

impl Phase {
    const USUAL: Self = Self {
        from: 0.0,
        slowness: 1.0,
        failing: 0.0,
        failure: 0.0,
    };

    /// Requests take `slowness` times as long, and none fails.
    pub const fn slower(from: f64, slowness: f64) -> Self {
        Self {
            from,
            slowness,
            ..Self::USUAL
        }
    }

    /// A share of the requests fails, each after the time `failure`.
    pub const fn failing(from: f64, failing: f64, failure: f64) -> Self {
        Self {
            from,
            failing,
            failure,
            ..Self::USUAL
        }
    }
}

impl<S: ServiceLaw> FleetServer<S> {
    /// A server that serves one request at a time, first come, first served.
    pub fn of(law: S) -> Self {
        Self {
            law,
            at_once: 1,
            shares: false,
            joins: 0.0,
            phases: Vec::new(),
        }
    }

    /// Serves so many requests at a time; the others wait, first come, first served.
    ///
    /// # Panics
    ///
    /// If that is none.
    #[must_use]
    pub fn at_once(self, at_once: u32) -> Self {
        assert!(
            at_once > 0,
            "a server serves at least one request at a time"
        );
        Self { at_once, ..self }
    }

    /// Serves all requests at once on as many processors as it served at a time: none waits, and
    /// more than that share the processors equally (processor sharing).
    #[must_use]
    pub fn sharing(self) -> Self {
        Self {
            shares: true,
            ..self
        }
    }

    /// Joins at this instant; until then no dispatcher knows of it.
    #[must_use]
    pub fn joining(self, joins: f64) -> Self {
        Self { joins, ..self }
    }

    /// Behaves like this from [`Phase::from`] on. A request is served by the phase in which its
    /// service begins.
    ///
    /// # Panics
    ///
    /// If an earlier phase begins later.
    #[must_use]
    pub fn phase(mut self, phase: Phase) -> Self {
        assert!(
            self.phases
                .last()
                .is_none_or(|last| last.from <= phase.from),
            "phases in order"
        );
        self.phases.push(phase);
        self
    }

    /// Requests per unit of time that it can serve, in its usual phase.
    pub fn capacity(&self) -> f64 {
        f64::from(self.at_once) / self.law.mean()
    }

    /// How long a request takes by itself, on average and in the usual phase.
    pub fn service(&self) -> f64 {
        self.law.mean()
    }

    /// When it joins.
    pub fn joins(&self) -> f64 {
        self.joins
    }

    pub(super) fn phase_at(&self, now: f64) -> Phase {
        let begun = self.phases.iter().rev().find(|phase| phase.from <= now);
        begun.copied().unwrap_or(Phase::USUAL)
    }
}
