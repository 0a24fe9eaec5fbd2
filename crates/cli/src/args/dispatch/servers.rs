//! `slow=50@1,fast=50@10`.

use filch_sim::farm::{Class, Servers};
use filch_workload::Capacity;

const FORM: &str = "write NAME=COUNT@CAPACITY,…, as in slow=50@1,fast=50@10";

/// The servers that `text` describes; the error begins with the part that is wrong.
pub(super) fn parse(text: &str) -> Result<Servers, String> {
    let mut classes: Vec<Class> = Vec::new();
    for part in text.split(',') {
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
        if classes.iter().any(|class| class.name == name) {
            return Err(format!(
                "'{quoted}' names the class '{}' again: {FORM}",
                name.escape_debug()
            ));
        }
        let digits = count.bytes().all(|byte| byte.is_ascii_digit());
        let count = count.parse().ok().filter(|_| digits).ok_or_else(|| {
            format!(
                "'{quoted}' has '{}' servers, which is no whole number: {FORM}",
                count.escape_debug()
            )
        })?;
        let capacity = capacity_of(capacity).map_err(|error| format!("'{quoted}': {error}"))?;
        classes.push(Class::new(name, count, capacity));
    }
    Servers::of(classes).map_err(|error| format!("'{}': {error}", text.escape_debug()))
}

/// A name of a capacity, or the mean of a uniform one.
pub(super) fn capacity_of(text: &str) -> Result<Capacity, String> {
    let named: Result<Capacity, _> = if text.contains(':') {
        text.parse()
    } else {
        format!("uniform:{text}").parse()
    };
    named.map_err(|error: filch_workload::Invalid| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read() {
        let servers = parse("slow=50@1,fast=50@10,odd=1@constant:3").unwrap();
        assert_eq!((servers.count(), servers.total_capacity()), (101, 553.0));
        let names: Vec<_> = servers.classes().iter().map(|class| &*class.name).collect();
        assert_eq!(names, ["slow", "fast", "odd"]);
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
                "'a=9999999999@1': a farm has fewer than 4294967295 servers",
            ),
            ("a=1@", "'a=1@': 'uniform:': the mean must be"),
            ("a=1@0.5", "'a=1@0.5': uniform:0.5: the mean must be"),
            (
                "a=1@1.3",
                "'a=1@1.3': uniform:1.3: the mean must be a multiple of 0.5: use 1 or 1.5",
            ),
            (
                "a=1@unifrom:3",
                "'a=1@unifrom:3': unknown capacity 'unifrom:3': use uniform:M, ",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
