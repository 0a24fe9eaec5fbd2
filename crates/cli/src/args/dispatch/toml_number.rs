//! Numbers of a scenario file. What is no number is told so in plain words, and a whole number may
//! have all 64 bits.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A whole number of any size.
#[derive(Clone, Copy)]
pub(super) struct Integer(pub(super) i128);

/// A number with or without a point.
#[derive(Clone, Copy)]
pub(super) struct Real(pub(super) f64);

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WholeVisitor;
        impl Visitor<'_> for WholeVisitor {
            type Value = Integer;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Integer, E> {
                Ok(Integer(number.into()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Integer, E> {
                Ok(Integer(number.into()))
            }

            fn visit_i128<E: Error>(self, number: i128) -> Result<Integer, E> {
                Ok(Integer(number))
            }

            fn visit_u128<E: Error>(self, number: u128) -> Result<Integer, E> {
                Ok(Integer(i128::try_from(number).unwrap_or(i128::MAX)))
            }
        }
        deserializer.deserialize_any(WholeVisitor)
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl Visitor<'_> for NumberVisitor {
            type Value = Real;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Real, E> {
                Ok(Real(number))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Real, E> {
                Ok(Real(number as f64))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Real, E> {
                Ok(Real(number as f64))
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}
