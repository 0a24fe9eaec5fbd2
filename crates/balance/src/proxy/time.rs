use chrono::{SecondsFormat, Utc};

/// The time of day for logs: RFC 3339, in UTC and with milliseconds.
pub(crate) fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_have_milliseconds_and_are_in_utc() {
        let now = super::now();
        let shape: String = now
            .chars()
            .map(|c| if c.is_ascii_digit() { '0' } else { c })
            .collect();
        assert_eq!(shape, "0000-00-00T00:00:00.000Z");
    }
}
