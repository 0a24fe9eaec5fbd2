//! `filch._native`: the experiments of filch for Python.
//!
//! Arguments are words of the command line ([`filch_cli::asked`]): a keyword of Python becomes a
//! flag, so defaults, ranges and complaints are those of `filch`. Answers are the JSON text that
//! `--json` prints, and arrays, whose memory NumPy takes over without a copy. The classes that a
//! user sees are written in Python, in `python/filch/`.
//!
//! | file | what it does |
//! |---|---|
//! | `attend.rs` | makes runs without the GIL, and looks for Ctrl-C meanwhile |
//! | `ending.rs` | how a run ends before its time |
//! | `natural.rs`, `farm.rs`, `fleet.rs`, `dag.rs`, `promised.rs` | a command each |
//! | `object.rs`, `view.rs`, `rng.rs` | a dispatch policy written in Python, and what it sees |
//! | `program.rs` | the program `filch` |
//! | `pointer.rs` | a dispatch policy behind function pointers: all of the unsafe code |
//! | `steal.rs` | a steal function of a user's own |
//! | `sweep.rs` | the plan of a sweep, its rows and its files |

mod attend;
mod dag;
mod ending;
mod farm;
mod fleet;
mod natural;
mod object;
mod pointer;
mod program;
mod promised;
mod rng;
mod steal;
mod sweep;
mod view;

/// The module.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::dag::{dag, measure};
    #[pymodule_export]
    use super::farm::farm;
    #[pymodule_export]
    use super::fleet::fleet;
    #[pymodule_export]
    use super::natural::natural;
    #[pymodule_export]
    use super::pointer::Pointer;
    #[pymodule_export]
    use super::program::program;
    #[pymodule_export]
    use super::promised::{flags, limit, theory_dag, theory_natural};
    #[pymodule_export]
    use super::rng::Rng;
    #[pymodule_export]
    use super::sweep::{SweepPlan, sweep_range};
    #[pymodule_export]
    use super::view::PolicyView;
}
