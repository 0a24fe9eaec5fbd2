//! The speed-up curve in letters.

use std::fmt::Write as _;

use filch_experiments::profile::Predicted;
use filch_report::number::decimals;

/// How many letters the largest speed-up that is possible takes.
const WIDTH: f64 = 56.0;

/// A bar for each number of processors, on a logarithmic scale, up to the mark of the ideal
/// speed-up.
pub(super) fn chart(rows: &[Predicted]) -> String {
    let most = rows.iter().map(|row| row.processors).max().unwrap_or(1);
    let scale = WIDTH / (most.max(2) as f64).log2();
    let mut text = String::new();
    for row in rows {
        let ideal = ((row.processors as f64).log2() * scale).round() as usize;
        let length = (row.speed_up.max(1.0).log2() * scale).round() as usize;
        let length = length.min(ideal);
        let bar = "█".repeat(length);
        let gap = " ".repeat(ideal - length);
        let speed_up = decimals(row.speed_up, 1);
        let _ = writeln!(text, "{:>6} {bar}{gap}│ {speed_up}", row.processors);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_profile::Duration;

    #[test]
    fn bars_end_before_the_ideal() {
        let row = |processors: usize, speed_up: f64| Predicted {
            processors,
            time: Duration::from_nanos(1),
            speed_up,
            efficiency: speed_up / processors as f64,
            least: Duration::ZERO,
            bound: Duration::ZERO,
            steals: 0,
            hand_overs: 0,
        };
        let text = chart(&[row(1, 1.0), row(4, 4.0), row(16, 4.0)]);
        let lines: Vec<_> = text.lines().collect();
        let bar = |line: &str| line.chars().filter(|&letter| letter == '█').count();
        assert_eq!(lines[0], "     1 │ 1");
        assert_eq!((bar(lines[1]), bar(lines[2])), (28, 28));
        assert_eq!(lines[2].chars().count(), 7 + 56 + 3);
    }
}
