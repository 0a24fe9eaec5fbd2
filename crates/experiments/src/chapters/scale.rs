//! How much to run.

/// How much to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// A few seconds: what the report looks like. Too little for its verdicts to mean much.
    Sketch,
    /// A few minutes at most.
    Quick,
    /// As large as in the papers.
    Full,
}

impl Scale {
    /// The value for this scale.
    pub fn pick<T>(self, sketch: T, quick: T, full: T) -> T {
        match self {
            Self::Sketch => sketch,
            Self::Quick => quick,
            Self::Full => full,
        }
    }

    /// The option of `filch reproduce` that asks for it, without the hyphens.
    pub fn name(self) -> &'static str {
        self.pick("sketch", "quick", "full")
    }
}
