//! The numbers behind the names of the header's enumerations.

use super::types::Enum;

/// How important a line of the log is.
pub mod log_level {
    use super::Enum;

    /// Not as it should be.
    pub const WARN: Enum = 3;
    /// Something did not work.
    pub const ERROR: Enum = 4;
}

/// Which headers of a stream are meant.
pub mod header_type {
    use super::Enum;

    /// Those of the request.
    pub const REQUEST: Enum = 0;
    /// Those of the answer.
    pub const RESPONSE: Enum = 2;
}

/// How a filter goes on after a hook.
pub mod filter_status {
    use super::Enum;

    /// With the next filter. The same number for headers, bodies and trailers.
    pub const CONTINUE: Enum = 0;
    /// Not now, and what follows of the head goes no further.
    pub const STOP_ITERATION: Enum = 1;
    /// Of request headers: not now, and what follows is kept until the filter continues, within
    /// the stream's watermarks.
    pub const STOP_ALL_AND_WATERMARK: Enum = 4;
}

/// The health of a host.
pub mod host_health {
    use super::Enum;

    /// It may get requests.
    pub const HEALTHY: Enum = 2;
}

/// Which statistic of a host is meant.
pub mod host_stat {
    use super::Enum;

    /// Requests sent so far.
    pub const RQ_TOTAL: Enum = 5;
    /// Requests under way.
    pub const RQ_ACTIVE: Enum = 7;
}

/// Which attribute of a stream is meant.
pub mod attribute {
    use super::Enum;

    /// The address of the host that the request goes to.
    pub const UPSTREAM_ADDRESS: Enum = 41;
}
