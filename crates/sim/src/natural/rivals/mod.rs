//! The rivals of the natural process: other ways to balance the jobs of the same generators.
//!
//! BFG03 section 1.2 sets the natural process beside three others. Here they are processes in the
//! same steps: the generators make jobs, a [`Balance`] moves jobs, and every queue processes one.
//! With the same placement and the same seed, all of them get the same jobs at the same places.
//!
//! | name | which processor acts | cite |
//! |---|---|---|
//! | [`inverse`](Inverse) | each, with probability 1/load, with one other | Rudolph, Slivkin-Allalouf, Upfal 1991 |
//! | [`factor:F:D`](Factor) | one whose load has changed by the factor F, with D others | Lüling, Monien 1993 |
//! | [`two-choices`](TwoChoices) | each new job joins the shorter of two random queues | Adler, Berenbrink, Schröder 1998 |
//!
//! Their theorems are in `filch_theory::rivals`.
//!
//! # A rival of your own
//!
//! A type with [`Balance`] runs in [`Balanced`]. To give it a name that can be typed: one file here
//! with a type that also has [`Rivalry`], and one line in the list under `register!` below.

mod balanced;
mod factor;
mod inverse;
mod loads;
mod two_choices;

pub use balanced::Balanced;
pub use factor::Factor;
pub use inverse::Inverse;
pub use loads::{Loads, Moves};
pub use two_choices::TwoChoices;

use std::fmt;
use std::str::FromStr;

use filch_random::Stream;

/// A way to balance.
pub trait Balance {
    /// Moves jobs after the generators have made theirs and before each queue processes one.
    fn balance(&mut self, loads: &mut Loads, rng: &mut Stream) -> Moves;
}

/// A way to balance that has a name.
pub trait Rivalry: Balance + Clone + fmt::Debug + fmt::Display {
    /// How the name is typed; parameters are capital letters after colons.
    const FORM: &'static str;
    /// What it means.
    const MEANING: &'static str;

    /// The rival with these parameters for so many processors, all queues empty; otherwise what the
    /// parameters must be.
    fn start(parameters: &[f64], processors: usize) -> Result<Self, &'static str>;
}

/// Declares the enum of all rivals, and the list of their names.
macro_rules! register {
    ($($module:ident::$rival:ident,)*) => {
        /// A rival by its name, for so many processors.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum Rival {
            $(
                #[doc = concat!("[`", stringify!($rival), "`].")]
                $rival($rival),
            )*
        }

        impl Rival {
            /// How rivals are typed, and what they mean.
            pub const NAMES: &[(&'static str, &'static str)] =
                &[$(($rival::FORM, $rival::MEANING),)*];
        }

        impl Balance for Rival {
            fn balance(&mut self, loads: &mut Loads, rng: &mut Stream) -> Moves {
                match self { $(Self::$rival(rival) => rival.balance(loads, rng),)* }
            }
        }

        impl fmt::Display for Rival {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Self::$rival(rival) => rival.fmt(f),)* }
            }
        }

        impl RivalName {
            /// The rival on so many processors, all queues empty.
            ///
            /// # Errors
            ///
            /// If the parameters do not fit, what they must be.
            pub fn start(&self, processors: usize) -> Result<Rival, String> {
                let started = match self.form {
                    $($rival::FORM => {
                        $rival::start(&self.parameters, processors).map(Rival::$rival)
                    })*
                    _ => unreachable!("a name is made from the list"),
                };
                started.map_err(|needs| format!("{self}: {needs}"))
            }
        }
    };
}

register! {
    inverse::Inverse,
    factor::Factor,
    two_choices::TwoChoices,
}

/// The name of a rival with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct RivalName {
    form: &'static str,
    parameters: Vec<f64>,
}

impl FromStr for RivalName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let head = |text: &str| text.split(':').next().map(str::to_owned);
        let known = Rival::NAMES
            .iter()
            .find(|known| head(known.0) == head(name));
        let unknown = || {
            let forms: Vec<_> = Rival::NAMES.iter().map(|known| known.0).collect();
            let name = name.escape_debug();
            format!("unknown rival '{name}': use one of {}", forms.join(", "))
        };
        let &(form, _) = known.ok_or_else(unknown)?;
        let typed: Option<Vec<f64>> = name.split(':').skip(1).map(number).collect();
        let parameters = typed.filter(|typed| typed.len() == form.split(':').count() - 1);
        let parameters = parameters.ok_or_else(|| {
            let name = name.escape_debug();
            format!("'{name}' is not of the form {form}: use numbers for the capital letters")
        })?;
        let read = Self { form, parameters };
        // What is wrong with a parameter is wrong on any number of processors that is enough.
        read.start(1 << 20)?;
        Ok(read)
    }
}

/// A finite number without a sign.
fn number(text: &str) -> Option<f64> {
    let begins = text.starts_with(|first: char| first.is_ascii_digit());
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.filter(|_| begins)
}

impl fmt::Display for RivalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.form.split(':').next().unwrap_or(self.form))?;
        self.parameters
            .iter()
            .try_for_each(|parameter| write!(f, ":{parameter}"))
    }
}
