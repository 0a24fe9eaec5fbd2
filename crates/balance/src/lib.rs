//! The dispatch policies of `filch-policy` in front of real servers.

#[cfg(feature = "trial")]
pub mod trial;
