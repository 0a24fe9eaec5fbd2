/// A page of statistics in Prometheus' format.
#[derive(Clone, Debug)]
pub(crate) struct Stats(String);

impl Stats {
    pub(crate) fn new(page: String) -> Self {
        Self(page)
    }

    /// The sum over all statistics whose name ends like this.
    pub(crate) fn of(&self, name: &str) -> u64 {
        let lines = self.0.lines().filter(|line| !line.starts_with('#'));
        let values = lines.filter_map(|line| {
            let (full, value) = line.rsplit_once(' ')?;
            let full = full.split('{').next()?;
            full.ends_with(name)
                .then(|| value.parse::<f64>().ok())
                .flatten()
        });
        values.sum::<f64>() as u64
    }

    /// Whether there is a statistic of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.lines().any(|line| line.starts_with(name))
    }
}
