//! Classes of servers by name: `slow=50@1,fast=50@10`.

use std::fmt;
use std::str::FromStr;

use filch_sim::farm::Class;
use filch_workload::{Capacity, Invalid};

const FORM: &str = "write NAME=COUNT@CAPACITY,…, as in slow=50@1,fast=50@10";

const MOST: u64 = Classes::MOST;

/// Classes of servers, as typed. They take no memory for the single server yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// The text.
    pub text: String,
    /// The classes.
    pub classes: Vec<Class>,
}

impl Classes {
    /// The most servers that can be numbered.
    pub const MOST: u64 = u32::MAX as u64 - 1;
}

/// Every capacity by its full name, whatever was typed.
impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, class) in self.classes.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(
                f,
                "{comma}{}={}@{}",
                class.name, class.count, class.capacity
            )?;
        }
        Ok(())
    }
}

impl FromStr for Classes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut classes: Vec<Class> = Vec::new();
        for part in parts(text) {
            let class = class(&part)?;
            if classes.iter().any(|other| other.name == class.name) {
                return Err(format!(
                    "'{}' names the class '{}' again: {FORM}",
                    part.escape_debug(),
                    class.name.escape_debug()
                ));
            }
            classes.push(class);
        }
        let count = classes
            .iter()
            .fold(0, |sum: u64, class| sum.saturating_add(class.count as u64));
        match count {
            0 => Err(format!(
                "'{}': a farm needs at least one server",
                text.escape_debug()
            )),
            1..=MOST => Ok(Self {
                text: text.to_owned(),
                classes,
            }),
            _ => Err(format!(
                "'{}': a farm has at most {MOST} servers",
                text.escape_debug()
            )),
        }
    }
}

/// The classes one by one. A table of capacities has commas of its own: what follows it belongs to
/// it until the next `@`.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for piece in text.split(',') {
        match parts.last_mut() {
            Some(last) if last.contains("@table:") && !piece.contains('@') => {
                last.push(',');
                last.push_str(piece);
            }
            _ => parts.push(piece.to_owned()),
        }
    }
    parts
}

/// `NAME=COUNT@CAPACITY`; the error begins with what is wrong.
fn class(part: &str) -> Result<Class, String> {
    let quoted = part.escape_debug();
    let (name, rest) = part
        .split_once('=')
        .ok_or_else(|| format!("'{quoted}' has no '=': {FORM}"))?;
    let (count, capacity) = rest
        .split_once('@')
        .ok_or_else(|| format!("'{quoted}' has no '@': {FORM}"))?;
    if name.is_empty() {
        return Err(format!("'{quoted}' has no name: {FORM}"));
    }
    let digits = count.bytes().all(|byte| byte.is_ascii_digit());
    let count = count.parse().ok().filter(|_| digits).ok_or_else(|| {
        format!(
            "'{quoted}' has '{}' servers, which is no whole number: {FORM}",
            count.escape_debug()
        )
    })?;
    let capacity = capacity_of(capacity).map_err(|error| format!("'{quoted}': {error}"))?;
    Ok(Class::new(name, count, capacity))
}

/// A name of a capacity, or the mean of a uniform one.
///
/// # Errors
///
/// If it is neither: what to type instead.
pub fn capacity_of(text: &str) -> Result<Capacity, String> {
    let named: Result<Capacity, Invalid> = if text.contains(':') {
        text.parse()
    } else {
        format!("uniform:{text}").parse()
    };
    named.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read() {
        let read = |text: &str| -> Vec<String> {
            let Classes { classes, .. } = text.parse().unwrap();
            let class =
                |class: &Class| format!("{}={}@{}", class.name, class.count, class.capacity);
            classes.iter().map(class).collect()
        };
        let classes: Classes = "slow=50@1,odd=1@table:1=1,2=3".parse().unwrap();
        assert_eq!(classes.to_string(), "slow=50@uniform:1,odd=1@table:1=1,2=3");
        assert_eq!(
            read("slow=50@1,fast=50@10,odd=1@constant:3"),
            [
                "slow=50@uniform:1",
                "fast=50@uniform:10",
                "odd=1@constant:3"
            ]
        );
        // A table has commas of its own.
        assert_eq!(
            read("a=5@table:1=1,2=3,b=2@4,c=1@table:7=1"),
            ["a=5@table:1=1,2=3", "b=2@uniform:4", "c=1@table:7=1"]
        );
    }

    #[test]
    fn bad_servers_are_explained() {
        for (text, message) in [
            ("", "'' has no '=': "),
            ("slow", "'slow' has no '=': "),
            ("slow=50", "'slow=50' has no '@': "),
            ("=5@1", "'=5@1' has no name: "),
            ("a=5@1,a=6@1", "'a=6@1' names the class 'a' again: "),
            (
                "a=x@1",
                "'a=x@1' has 'x' servers, which is no whole number: ",
            ),
            (
                "a=-1@1",
                "'a=-1@1' has '-1' servers, which is no whole number: ",
            ),
            ("a=@1", "'a=@1' has '' servers, which is no whole number: "),
            ("a=0@1", "'a=0@1': a farm needs at least one server"),
            (
                "a=9999999999@1",
                "'a=9999999999@1': a farm has at most 4294967294 servers",
            ),
            ("a=1@", "'a=1@': 'uniform:': the mean must be"),
            ("a=1@0.5", "'a=1@0.5': uniform:0.5: the mean must be"),
            (
                "a=1@1.3",
                "'a=1@1.3': uniform:1.3: the mean must be a multiple of 0.5: use 1 or 1.5",
            ),
            (
                "a=5@table:1=1,2",
                "'a=5@table:1=1,2': table:1=1,2: write entries V=W",
            ),
            (
                "a=1@unifrom:3",
                "'a=1@unifrom:3': unknown capacity 'unifrom:3': use uniform:M, ",
            ),
        ] {
            let error = text.parse::<Classes>().unwrap_err();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
