//! `filch theory dag`.

use clap::Args;

use super::dag::{RawSource, Source, processors, whole};
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct RawDagTheory {
    #[command(flatten)]
    source: RawSource,
    /// T1: the number of instructions
    #[arg(long, value_name = "N", conflicts_with_all = ["family", "file"], allow_hyphen_values = true)]
    work: Option<String>,
    /// Tinf: the instructions on a longest path
    #[arg(long, value_name = "N", conflicts_with_all = ["family", "file"], allow_hyphen_values = true)]
    span: Option<String>,
    /// S1: the space of one processor
    #[arg(long, value_name = "N", conflicts_with_all = ["family", "file"], default_value = "1", allow_hyphen_values = true)]
    stack_depth: String,
    /// nd: the most join edges from a thread to its parent
    #[arg(long, value_name = "N", conflicts_with_all = ["family", "file"], default_value = "1", allow_hyphen_values = true)]
    nd: String,
    /// Smax: the largest frame
    #[arg(long, value_name = "N", conflicts_with_all = ["family", "file"], default_value = "1", allow_hyphen_values = true)]
    largest_frame: String,
    /// P: the number of processors
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    processors: String,
    /// How often the bounds with a probability may fail
    #[arg(
        long,
        value_name = "E",
        default_value = "0.01",
        allow_hyphen_values = true
    )]
    epsilon: String,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

#[derive(Debug, PartialEq)]
pub(crate) struct DagTheory {
    pub(crate) about: DagFigures,
    pub(crate) processors: usize,
    pub(crate) epsilon: f64,
    pub(crate) json: bool,
}

/// What is known about the computation.
#[derive(Debug, PartialEq)]
pub(crate) enum DagFigures {
    /// It is there to be measured.
    Of(Source),
    /// Its measures were typed.
    Typed {
        work: u64,
        span: u64,
        stack_depth: u64,
        nd: u64,
        largest_frame: u64,
    },
}

pub(super) fn check(raw: RawDagTheory) -> Result<DagTheory, Failure> {
    let about = match (&raw.work, &raw.span) {
        (Some(work), Some(span)) => {
            let (work, span) = (whole("--work", work, 1)?, whole("--span", span, 1)?);
            if span > work {
                return Err(Failure::usage(format!(
                    "--span {span} is more than --work {work}: a path has no more instructions than there are"
                )));
            }
            DagFigures::Typed {
                work,
                span,
                stack_depth: whole("--stack-depth", &raw.stack_depth, 1)?,
                nd: whole("--nd", &raw.nd, 0)?,
                largest_frame: whole("--largest-frame", &raw.largest_frame, 0)?,
            }
        }
        (None, None) => match raw.source.check() {
            Ok(source) => DagFigures::Of(source),
            Err(_) if raw.source.is_missing() => {
                return Err(Failure::usage(
                    "no computation: give --family F, --file FILE, or --work N and --span N",
                ));
            }
            Err(failure) => return Err(failure),
        },
        _ => {
            return Err(Failure::usage(
                "--work and --span go together: give both, or --family F",
            ));
        }
    };
    let epsilon = raw.epsilon.parse().ok();
    let epsilon = epsilon.filter(|&epsilon: &f64| epsilon > 0.0 && epsilon < 1.0);
    Ok(DagTheory {
        about,
        processors: processors(&raw.processors)?,
        epsilon: epsilon.ok_or_else(|| {
            Failure::usage(format!(
                "--epsilon '{}' is not a number between 0 and 1: use one such as --epsilon 0.01",
                raw.epsilon.escape_debug()
            ))
        })?,
        json: raw.json,
    })
}
