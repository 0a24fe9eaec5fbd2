use core::fmt;

use filch_workload::{Capacity, CapacityLaw, Serve};

/// Servers that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Class<C = Capacity> {
    /// Their name: `slow`, `fast` …
    pub name: String,
    /// How many there are.
    pub count: usize,
    /// How many jobs one of them can complete in a slot.
    pub capacity: C,
}

impl Class {
    /// `count` servers of a capacity that has a name.
    pub fn new(name: impl Into<String>, count: usize, capacity: Capacity) -> Self {
        Self::with(name, count, capacity)
    }
}

impl<C: CapacityLaw> Class<C> {
    /// `count` servers of any capacity, such as a [`Serve`] of one's own.
    pub fn with(name: impl Into<String>, count: usize, capacity: C) -> Self {
        Self {
            name: name.into(),
            count,
            capacity,
        }
    }

    /// μ, the mean capacity of one server.
    fn mean(&self) -> f64 {
        self.capacity.sampler().mean()
    }
}

/// The servers of a farm: at least one, numbered class by class.
#[derive(Clone, Debug, PartialEq)]
pub struct Servers<C = Capacity> {
    classes: Vec<Class<C>>,
    /// μ_i by server, which policies see as speeds.
    speeds: Vec<f64>,
}

impl<C: CapacityLaw> Servers<C> {
    /// All servers of `classes`.
    ///
    /// # Errors
    ///
    /// If there are none, or more than 32 bits can number.
    pub fn of(classes: Vec<Class<C>>) -> Result<Self, NoServers> {
        let count = classes
            .iter()
            .try_fold(0usize, |sum, class| sum.checked_add(class.count))
            .filter(|&count| count < u32::MAX as usize)
            .ok_or(NoServers::TooMany)?;
        if count == 0 {
            return Err(NoServers::None);
        }
        let mut speeds = Vec::with_capacity(count);
        for class in &classes {
            speeds.extend(std::iter::repeat_n(class.mean(), class.count));
        }
        Ok(Self { classes, speeds })
    }

    /// The classes, in the order in which their servers are numbered.
    pub fn classes(&self) -> &[Class<C>] {
        &self.classes
    }

    /// How many servers there are, n.
    pub fn count(&self) -> usize {
        self.speeds.len()
    }

    /// The mean capacity μ_i of each server.
    pub fn speeds(&self) -> &[f64] {
        &self.speeds
    }

    /// Σ μ_i, in jobs per slot.
    pub fn total_capacity(&self) -> f64 {
        let class = |class: &Class<C>| class.count as f64 * class.mean();
        self.classes.iter().map(class).sum()
    }
}

/// Why servers do not make a farm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoServers {
    /// No class has a server.
    None,
    /// There are 2³² − 1 servers or more.
    TooMany,
}

impl fmt::Display for NoServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "a farm needs at least one server",
            Self::TooMany => "a farm has fewer than 4294967295 servers",
        })
    }
}

impl std::error::Error for NoServers {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_numbered_class_by_class() {
        let class =
            |name: &str, count, capacity: &str| Class::new(name, count, capacity.parse().unwrap());
        let servers = Servers::of(vec![
            class("slow", 2, "uniform:1"),
            class("none", 0, "constant:7"),
            class("fast", 1, "uniform:10"),
        ])
        .unwrap();
        assert_eq!(servers.speeds(), [1.0, 1.0, 10.0]);
        assert_eq!((servers.count(), servers.total_capacity()), (3, 12.0));
    }

    #[test]
    fn no_farm_without_servers() {
        let count = |count| Servers::of(vec![Class::new("a", count, "uniform:1".parse().unwrap())]);
        assert_eq!(Servers::<Capacity>::of(vec![]), Err(NoServers::None));
        assert_eq!(count(0), Err(NoServers::None));
        assert_eq!(count(u32::MAX as usize), Err(NoServers::TooMany));
    }
}
