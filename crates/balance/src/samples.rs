/// What a dispatcher has learned about the speed of one server: weighted sums of service times.
/// See [speeds](crate#speeds). [`Balancer::samples`](crate::Balancer::samples) hands them out, and
/// [`Balancer::restore`](crate::Balancer::restore) takes them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Samples {
    /// The sum, in seconds, of requests that found the server idle.
    pub alone_seconds: f64,
    /// Their weight; one for a fresh sample.
    pub alone_weight: f64,
    /// The sum, in seconds, of requests that may have waited for those of other dispatchers.
    pub others_seconds: f64,
    /// Their weight.
    pub others_weight: f64,
    /// How many requests the server serves at a time; 0 if that is not known.
    pub concurrency: u32,
}

impl Samples {
    pub(crate) fn weight(&self) -> f64 {
        self.alone_weight + self.others_weight
    }

    /// The mean service time in seconds.
    pub(crate) fn mean(&self) -> f64 {
        (self.alone_seconds + self.others_seconds) / self.weight()
    }

    /// Whether these can be measurements: they may come from a file.
    pub(crate) fn is_sound(&self) -> bool {
        let pairs = [
            (self.alone_seconds, self.alone_weight),
            (self.others_seconds, self.others_weight),
        ];
        let sound = |(seconds, weight): (f64, f64)| {
            let none = seconds == 0.0 && weight == 0.0;
            none || (seconds > 0.0 && weight > 0.0 && seconds.is_finite() && weight.is_finite())
        };
        pairs.into_iter().all(sound) && self.weight() > 0.0 && self.mean().is_finite()
    }
}
