/// The number of a [`Site`] in [`Profile::sites`](crate::Profile::sites).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub u32);

/// A place in a program that forks, or that enters the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// What is called there.
    pub kind: Kind,
    /// The calls that led there, innermost first; inlined calls are frames of their own. Empty if
    /// no stack could be read.
    pub frames: Vec<Frame>,
    /// Which of `frames` is the place in the user's own code; none if all belong to libraries.
    pub user: Option<usize>,
    /// The type of the closure that is forked, as the compiler names it: what is known of a place
    /// without debug information.
    pub closure: String,
    /// How often it forked. Exact, also where the dag is not.
    pub forks: u64,
    /// How many of these jobs a thief ran.
    pub steals: u64,
}

/// What a site calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A join of two closures, which is also what parallel iterators are made of.
    Join,
    /// The opening of a scope.
    Scope,
    /// A child of a scope, or a job on its own.
    Spawn,
    /// A closure for every worker.
    Broadcast,
    /// A call from outside the pool that is not one of the above.
    Install,
}

/// A call on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function, demangled.
    pub function: String,
    /// Its file and the line in it, if there is debug information.
    pub place: Option<(String, u32)>,
}
