use core::fmt;

use filch_workload::Capacity;

/// Servers that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// What they are called: `slow`, `fast` …
    pub name: String,
    /// How many there are.
    pub count: usize,
    /// How much one of them can do in a slot.
    pub capacity: Capacity,
}

impl Class {
    /// `count` servers of this capacity.
    pub fn new(name: impl Into<String>, count: usize, capacity: Capacity) -> Self {
        Self {
            name: name.into(),
            count,
            capacity,
        }
    }
}

/// The servers of a farm: at least one, numbered class by class.
#[derive(Clone, Debug, PartialEq)]
pub struct Servers {
    classes: Vec<Class>,
    /// μ_i by server, which is what `sed` and `idle-fastest` know as speeds.
    speeds: Vec<f64>,
}

impl Servers {
    /// All servers of `classes`.
    ///
    /// # Errors
    ///
    /// If there are none, or more than 32 bits can number.
    pub fn of(classes: Vec<Class>) -> Result<Self, NoServers> {
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
            speeds.extend(std::iter::repeat_n(class.capacity.mean(), class.count));
        }
        Ok(Self { classes, speeds })
    }

    /// The classes, in the order in which their servers are numbered.
    pub fn classes(&self) -> &[Class] {
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
        let class = |class: &Class| class.count as f64 * class.capacity.mean();
        self.classes.iter().map(class).sum()
    }
}

/// Why there is no farm.
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
        assert_eq!(Servers::of(vec![]), Err(NoServers::None));
        assert_eq!(count(0), Err(NoServers::None));
        assert_eq!(count(u32::MAX as usize), Err(NoServers::TooMany));
    }
}
