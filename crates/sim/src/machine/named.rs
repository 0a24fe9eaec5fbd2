//! Values that are typed and printed by name.

/// Implements `Display` and `FromStr` by the method `name`. An unknown name is answered with the
/// names of all values.
macro_rules! named {
    ($type:ty, $what:literal, $all:expr) => {
        impl ::core::fmt::Display for $type {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl ::core::str::FromStr for $type {
            type Err = String;

            fn from_str(name: &str) -> Result<Self, String> {
                let known = $all.into_iter().find(|known| known.name() == name);
                known.ok_or_else(|| {
                    let names = $all.into_iter().map(Self::name);
                    crate::machine::named::unknown($what, name, names)
                })
            }
        }
    };
}

pub(super) use named;

/// Says what to type instead of `name`.
pub(super) fn unknown(what: &str, name: &str, known: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<_> = known.collect();
    let (last, others) = names.split_last().expect("some values");
    let (name, others) = (name.escape_debug(), others.join(", "));
    format!("unknown {what} '{name}': use {others} or {last}")
}
