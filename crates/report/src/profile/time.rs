//! Times as people read them.

use filch_profile::Duration;

/// Three digits and a unit: `1.23 ms`.
pub fn time(time: Duration) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, "s"), (1e9, "ms"), (1e6, "µs"), (1e3, "ns")];
    let picos = time.picos() as f64;
    if picos == 0.0 {
        return "0".to_owned();
    }
    for (size, unit) in UNITS {
        // What would be rounded up to 1 of a larger unit is written in it.
        if picos >= 0.9995 * size {
            let number = picos / size;
            let digits = match number {
                _ if number < 9.995 => 2,
                _ if number < 99.95 => 1,
                _ => 0,
            };
            return format!("{number:.digits$} {unit}");
        }
    }
    format!("{picos} ps")
}

/// A share in per cent.
pub fn per_cent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent >= 9.95 {
        format!("{percent:.0} %")
    } else {
        format!("{percent:.1} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        for (picos, text) in [
            (0, "0"),
            (999, "999 ps"),
            (1000, "1.00 ns"),
            (12_345, "12.3 ns"),
            (999_600, "1.00 µs"),
            (1_230_000_000, "1.23 ms"),
            (123_000_000_000_000, "123 s"),
        ] {
            assert_eq!(time(Duration::from_picos(picos)), text);
        }
        assert_eq!(per_cent(0.0512), "5.1 %");
        assert_eq!(per_cent(0.5), "50 %");
    }
}
