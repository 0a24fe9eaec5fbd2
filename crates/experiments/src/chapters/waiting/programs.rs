//! Ordinary programs, as large as P asks for.

use filch_workload::dag::Family;

/// A program by the name of its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SimulatedProgram {
    Items,
    Halving,
    Nested,
    Deep,
    List,
    Uneven,
}

impl SimulatedProgram {
    /// All of them.
    pub(super) const ALL: [Self; 6] = [
        Self::Items,
        Self::Halving,
        Self::Nested,
        Self::Deep,
        Self::List,
        Self::Uneven,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Halving => "halving",
            Self::Nested => "nested",
            Self::Deep => "deep",
            Self::List => "list",
            Self::Uneven => "uneven",
        }
    }

    /// For so many processors.
    pub(super) fn family(self, processors: usize) -> Family {
        let items = 25 * processors;
        let name = match self {
            Self::Items => format!("items:{items}:50:500"),
            Self::Halving => format!("halving:{items}:50:500"),
            Self::Nested => format!("nested:{0}:{0}:50:500", items.isqrt()),
            Self::Deep => format!("deep:{items}:64:100:150"),
            Self::List => format!("list:{}:200", 5 * processors),
            Self::Uneven => format!("uneven:{}:50:2000", 40 * processors),
        };
        name.parse().expect("a family")
    }
}
