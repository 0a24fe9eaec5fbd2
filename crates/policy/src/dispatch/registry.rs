//! The list of policies, from which everything that depends on a name is made.

use super::{Dispatch, Needs, Plain, View};
use crate::Description;

/// What a policy's file says about it, besides how it decides.
pub trait Policy: Dispatch + Sized {
    /// The name as it is typed, each parameter (a whole number from 1) as `:` and a capital letter.
    const FORM: &'static str;
    /// What the policy does, in one line.
    const MEANING: &'static str;
    /// What it must see.
    const NEEDS: Needs;
    /// Whether it chooses uniformly at random among servers that look alike. Policies that take
    /// turns do not.
    const RANDOM_TIES: bool = true;

    /// The policy in front of the servers of `view`, all idle, with the parameters of its name.
    fn start(parameters: &[usize], view: &View<'_>) -> Self;

    /// The same policy with an index of what it decides by, for callers that report every change
    /// ([`Dispatch::changed`]). A policy that would look at all n servers for every batch decides
    /// in O(log n) then, with the same decisions.
    fn start_following(parameters: &[usize], view: &View<'_>) -> Self {
        Self::start(parameters, view)
    }

    /// The fewest servers for which these parameters make sense.
    fn least_servers(parameters: &[usize]) -> usize {
        let _ = parameters;
        1
    }
}

/// A policy in the list: its description, and how to start it.
#[derive(Debug)]
pub struct PolicyEntry {
    /// Name and meaning.
    pub description: Description,
    /// What it must see.
    pub needs: Needs,
    /// Whether it chooses uniformly at random among servers that look alike.
    pub random_ties: bool,
    /// How many parameters its name has.
    pub(super) parameters: usize,
    pub(super) start: fn(&[usize], &View<'_>) -> Plain,
    pub(super) start_following: fn(&[usize], &View<'_>) -> Plain,
    pub(super) least_servers: fn(&[usize]) -> usize,
}

/// The most parameters that a name can have.
pub(super) const MOST_PARAMETERS: usize = 4;

/// How many parameters `form` has.
///
/// # Panics
///
/// If the form is not a head and up to [`MOST_PARAMETERS`] times a colon and a capital letter. The
/// list is a `static`, so the compiler says this.
pub(super) const fn count_parameters(form: &str) -> usize {
    let form = form.as_bytes();
    let (mut count, mut at) = (0, 0);
    while at < form.len() {
        if form[at] == b':' {
            let ends = at + 2 == form.len() || at + 2 < form.len() && form[at + 2] == b':';
            assert!(
                ends && form[at + 1].is_ascii_uppercase(),
                "a parameter of a policy is written as a colon and one capital letter"
            );
            count += 1;
        }
        at += 1;
    }
    assert!(
        count <= MOST_PARAMETERS,
        "the name of a policy has more parameters than MOST_PARAMETERS"
    );
    count
}

/// Makes the modules, the enum [`Plain`] that is any one of the policies, and the list [`PLAIN`].
macro_rules! register {
    ($($module:ident :: $Policy:ident),+ $(,)?) => {
        $(
            mod $module;
            pub use $module::$Policy;
        )+

        /// Any policy of the list: chosen by name when a program runs, at the price of a branch.
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "the variants are the policies, documented as types")]
        pub enum Plain {
            $($Policy($Policy)),+
        }

        /// All policies that stand alone, in the order in which they are listed to users.
        pub static PLAIN: &[PolicyEntry] = &[$(
            PolicyEntry {
                description: crate::Description {
                    form: <$Policy as Policy>::FORM,
                    meaning: <$Policy as Policy>::MEANING,
                },
                needs: <$Policy as Policy>::NEEDS,
                random_ties: <$Policy as Policy>::RANDOM_TIES,
                parameters: registry::count_parameters(<$Policy as Policy>::FORM),
                start: |parameters, view| Plain::$Policy(Policy::start(parameters, view)),
                start_following: |parameters, view| {
                    Plain::$Policy(Policy::start_following(parameters, view))
                },
                least_servers: <$Policy as Policy>::least_servers,
            }
        ),+];

        $crate::dispatch::registry::forward!(Plain { $($Policy),+ });
    };
}

/// Implements [`Dispatch`] for an enum each of whose variants holds a policy.
macro_rules! forward {
    ($Enum:ident { $($Variant:ident),+ }) => {
        impl $crate::dispatch::Dispatch for $Enum {
            #[inline]
            fn whole<R: rand::Rng + ?Sized>(
                &mut self,
                jobs: u32,
                view: &$crate::dispatch::View<'_>,
                rng: &mut R,
            ) -> usize {
                match self { $(Self::$Variant(policy) => policy.whole(jobs, view, rng)),+ }
            }

            #[inline]
            fn split<R: rand::Rng + ?Sized>(
                &mut self,
                jobs: u32,
                view: &$crate::dispatch::View<'_>,
                rng: &mut R,
                out: &mut $crate::dispatch::Assignment,
            ) {
                match self { $(Self::$Variant(policy) => policy.split(jobs, view, rng, out)),+ }
            }

            fn messages(&self) -> u64 {
                match self { $(Self::$Variant(policy) => policy.messages()),+ }
            }

            #[inline]
            fn fell_idle(&mut self, server: usize, view: &$crate::dispatch::View<'_>) {
                match self { $(Self::$Variant(policy) => policy.fell_idle(server, view)),+ }
            }

            #[inline]
            fn fell_idle_together(
                &mut self,
                servers: &$crate::dispatch::ServerBits,
                view: &$crate::dispatch::View<'_>,
            ) {
                match self { $(Self::$Variant(policy) => policy.fell_idle_together(servers, view)),+ }
            }

            fn withdraw(&mut self, server: usize) {
                match self { $(Self::$Variant(policy) => policy.withdraw(server)),+ }
            }

            #[inline]
            fn sent(&mut self, server: usize) {
                match self { $(Self::$Variant(policy) => policy.sent(server)),+ }
            }

            fn server_joined(&mut self, view: &$crate::dispatch::View<'_>) {
                match self { $(Self::$Variant(policy) => policy.server_joined(view)),+ }
            }

            fn server_left(&mut self, server: usize, servers: usize) {
                match self { $(Self::$Variant(policy) => policy.server_left(server, servers)),+ }
            }

            #[inline]
            fn changed(&mut self, server: usize, view: &$crate::dispatch::View<'_>) {
                match self { $(Self::$Variant(policy) => policy.changed(server, view)),+ }
            }
        }
    };
}

pub(super) use forward;
pub(super) use register;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted() {
        for (form, count) in [("jsq", 0), ("jsq:D", 1), ("jsq:D:M", 2), ("a:B:C:D:E", 4)] {
            assert_eq!(count_parameters(form), count, "{form}");
        }
    }

    #[test]
    #[should_panic(expected = "more parameters than MOST_PARAMETERS")]
    fn too_many_parameters_are_refused() {
        count_parameters("a:B:C:D:E:F");
    }

    #[test]
    fn parameters_are_single_capital_letters() {
        for form in ["a:", "a:b", "a:BC", "a::B", "a:B:"] {
            assert!(
                std::panic::catch_unwind(|| count_parameters(form)).is_err(),
                "{form}"
            );
        }
    }
}
