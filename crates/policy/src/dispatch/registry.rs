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

    /// The policy in front of the servers of `view`, all idle, with the parameters of its name.
    fn start(parameters: &[usize], view: &View<'_>) -> Self;

    /// The fewest servers for which these parameters make sense.
    fn least_servers(parameters: &[usize]) -> usize {
        let _ = parameters;
        1
    }
}

/// A policy in the list: its description, and how to start it.
#[derive(Debug)]
pub struct Entry {
    /// Name and meaning.
    pub description: Description,
    /// What it must see.
    pub needs: Needs,
    pub(super) start: fn(&[usize], &View<'_>) -> Plain,
    pub(super) least_servers: fn(&[usize]) -> usize,
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
        pub static PLAIN: &[Entry] = &[$(
            Entry {
                description: crate::Description {
                    form: <$Policy as Policy>::FORM,
                    meaning: <$Policy as Policy>::MEANING,
                },
                needs: <$Policy as Policy>::NEEDS,
                start: |parameters, view| Plain::$Policy(Policy::start(parameters, view)),
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

            fn withdraw(&mut self, server: usize) {
                match self { $(Self::$Variant(policy) => policy.withdraw(server)),+ }
            }

            #[inline]
            fn sent(&mut self, server: usize) {
                match self { $(Self::$Variant(policy) => policy.sent(server)),+ }
            }

            fn joined(&mut self, view: &$crate::dispatch::View<'_>) {
                match self { $(Self::$Variant(policy) => policy.joined(view)),+ }
            }

            fn left(&mut self, server: usize, servers: usize) {
                match self { $(Self::$Variant(policy) => policy.left(server, servers)),+ }
            }
        }
    };
}

pub(super) use forward;
pub(super) use register;
