//! Kernels with names, one file each.

mod bursts;
mod few;
mod rotate;
mod starve;

pub use bursts::Bursts;
pub use few::Few;
pub use rotate::Rotate;
pub use starve::Starve;

use std::fmt;
use std::str::FromStr;

use filch_random::Stream;

use super::kernel::{Adversity, Kernel, KernelSight};

/// A kernel that has a name.
pub trait NamedKernel: Kernel + Sized {
    /// How the name is typed; parameters are capital letters after colons.
    const FORM: &'static str;
    /// What it means.
    const MEANING: &'static str;

    /// The kernel with these parameters, which are whole numbers from 1.
    fn start(parameters: &[u64]) -> Self;
}

/// Declares the enum of all kernels, and the list of their names.
macro_rules! register {
    ($($module:ident::$kernel:ident,)*) => {
        /// A kernel by its name.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum AnyKernel {
            $(
                #[doc = concat!("[`", stringify!($kernel), "`].")]
                $kernel($kernel),
            )*
        }

        impl AnyKernel {
            /// How kernels are typed, and what they mean.
            pub const NAMES: &[(&'static str, &'static str)] =
                &[$(($kernel::FORM, $kernel::MEANING),)*];
        }

        impl Kernel for AnyKernel {
            fn adversity(&self) -> Adversity {
                match self { $(Self::$kernel(kernel) => kernel.adversity(),)* }
            }

            fn choose(
                &mut self,
                sight: &KernelSight<'_>,
                rng: &mut Stream,
                chosen: &mut Vec<usize>,
            ) {
                match self { $(Self::$kernel(kernel) => kernel.choose(sight, rng, chosen),)* }
            }
        }

        impl KernelName {
            /// The kernel before its first step.
            pub fn start(&self) -> AnyKernel {
                match self.form {
                    $($kernel::FORM => AnyKernel::$kernel($kernel::start(&self.parameters)),)*
                    _ => unreachable!("a name is made from the list"),
                }
            }
        }
    };
}

register! {
    few::Few,
    bursts::Bursts,
    rotate::Rotate,
    starve::Starve,
}

/// The name of a kernel with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelName {
    form: &'static str,
    parameters: Vec<u64>,
}

impl FromStr for KernelName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let head = |text: &str| text.split(':').next().map(str::to_owned);
        let mut known = AnyKernel::NAMES.iter();
        let known = known.find(|known| head(known.0) == head(name));
        let unknown = || {
            let forms: Vec<_> = AnyKernel::NAMES.iter().map(|known| known.0).collect();
            let name = name.escape_debug();
            format!("unknown kernel '{name}': use one of {}", forms.join(", "))
        };
        let &(form, _) = known.ok_or_else(unknown)?;
        let whole = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse()
                .ok()
                .filter(|&number: &u64| digits && number > 0)
        };
        let typed: Option<Vec<u64>> = name.split(':').skip(1).map(whole).collect();
        let parameters = typed.filter(|typed| typed.len() == form.split(':').count() - 1);
        let parameters = parameters.ok_or_else(|| {
            let name = name.escape_debug();
            format!("'{name}' is not of the form {form}: use whole numbers from 1")
        })?;
        Ok(Self { form, parameters })
    }
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.form.split(':').next().unwrap_or(self.form))?;
        self.parameters
            .iter()
            .try_for_each(|parameter| write!(f, ":{parameter}"))
    }
}
