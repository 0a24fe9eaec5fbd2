//! The dispatch policies of `filch-policy` in front of real servers.
