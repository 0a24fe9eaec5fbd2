//! A schedule as a picture: processors down, steps across, a colour for each thread, an arrow for
//! each steal.

use std::fmt::Write as _;

use filch_report::escape::markup;
use filch_sim::machine::{Act, Record, Then};

/// The picture is about this wide, if steps do not become too narrow or too wide for it.
const WIDTH: f64 = 1400.0;
const NARROWEST: f64 = 1.5;
const WIDEST: f64 = 44.0;
/// A step this wide has room for the name of an instruction.
const READABLE: f64 = 24.0;

const ROW: f64 = 22.0;
const LEFT: f64 = 48.0;
const TOP: f64 = 58.0;

/// The picture as SVG, on its own and without scripts.
pub(super) fn svg(record: &Record, title: &str) -> String {
    let steps = record.steps.len();
    let step = ((WIDTH - LEFT) / steps as f64).clamp(NARROWEST, WIDEST);
    let (width, height) = (
        LEFT + step * steps as f64 + 20.0,
        TOP + ROW * record.processors as f64 + 30.0,
    );
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" font-family="sans-serif" font-size="11">
<title>{title}</title>
<defs><marker id="head" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto"><path d="M0,0 L6,3 L0,6 z" fill="#222"/></marker></defs>
<rect width="100%" height="100%" fill="#fff"/>
<text x="{LEFT}" y="18" font-size="14">{title}</text>
<text x="{LEFT}" y="34" fill="#555">colour: thread; outline grey: steal attempt; dots: waits for its request; arrow: steal; steps go from left to right</text>"##,
        title = markup(title),
    );
    axis(&mut svg, steps, step);
    for processor in 0..record.processors {
        let y = TOP + ROW * (processor as f64 + 0.68);
        let _ = writeln!(
            svg,
            r#"<text x="{:.0}" y="{y:.1}" text-anchor="end">p{}</text>"#,
            LEFT - 8.0,
            processor + 1
        );
    }
    for (at, recorded) in record.steps.iter().enumerate() {
        let x = LEFT + step * at as f64;
        for (processor, act) in recorded.acts.iter().enumerate() {
            cell(
                &mut svg,
                record,
                act,
                at + 1,
                x,
                TOP + ROW * processor as f64,
                step,
            );
        }
    }
    for (at, recorded) in record.steps.iter().enumerate() {
        let x = LEFT + step * (at as f64 + 1.0);
        for served in recorded
            .served
            .iter()
            .filter(|served| served.thread.is_some())
        {
            let [from, to] = [served.victim, served.thief].map(|p| TOP + ROW * (p as f64 + 0.5));
            let _ = writeln!(
                svg,
                r##"<line x1="{x:.1}" y1="{from:.1}" x2="{x:.1}" y2="{to:.1}" stroke="#222" stroke-width="1.2" marker-end="url(#head)"/>"##
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Numbers above about every hundredth pixel.
fn axis(svg: &mut String, steps: usize, width: f64) {
    let apart = [1, 2, 5, 10, 20, 50]
        .into_iter()
        .chain((2..).map(|power| 10usize.saturating_pow(power)))
        .find(|&apart| apart as f64 * width >= 40.0)
        .unwrap_or(steps);
    for number in (1..=steps).filter(|number| *number == 1 || number.is_multiple_of(apart)) {
        let x = LEFT + width * (number as f64 - 0.5);
        let _ = writeln!(
            svg,
            r##"<text x="{x:.1}" y="{:.0}" text-anchor="middle" fill="#555">{number}</text>"##,
            TOP - 6.0
        );
    }
}

fn cell(svg: &mut String, record: &Record, act: &Act, step: usize, x: f64, y: f64, width: f64) {
    let height = ROW - 4.0;
    let inner = (width - 1.0).max(NARROWEST - 0.5);
    match act {
        Act::Work {
            thread,
            instruction,
            then,
            ..
        } => {
            let name = markup(&record.threads[*thread].name);
            let instruction = markup(instruction);
            let what = match then {
                Then::Ready => "",
                Then::Stalled => ", then it stalls",
                Then::Dead => ", then it dies",
            };
            let _ = writeln!(
                svg,
                r#"<rect x="{x:.1}" y="{y:.1}" width="{inner:.1}" height="{height:.1}" fill="{}"><title>step {step}: {name} {instruction}{what}</title></rect>"#,
                colour(*thread)
            );
            if width >= READABLE {
                let _ = writeln!(
                    svg,
                    r#"<text x="{:.1}" y="{:.1}" text-anchor="middle" font-size="10">{instruction}</text>"#,
                    x + inner / 2.0,
                    y + height * 0.7
                );
            }
        }
        Act::Steal { victim } => {
            let _ = writeln!(
                svg,
                r##"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" fill="none" stroke="#aaa"><title>step {step}: asks p{}</title></rect>"##,
                x + 0.5,
                y + 3.0,
                (inner - 1.0).max(0.5),
                height - 6.0,
                victim + 1
            );
        }
        Act::Wait => {
            let _ = writeln!(
                svg,
                r##"<circle cx="{:.1}" cy="{:.1}" r="1.5" fill="#aaa"><title>step {step}: waits</title></circle>"##,
                x + inner / 2.0,
                y + height / 2.0
            );
        }
        Act::Idle => {}
    }
}

/// Neighbouring threads get colours far apart: hues by the golden angle.
fn colour(thread: usize) -> String {
    let hue = (thread as f64 * 137.508) % 360.0;
    let light = 62 + 8 * (thread / 7 % 3);
    format!("hsl({hue:.0},65%,{light}%)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::Seed;
    use filch_sim::machine::{Machine, Scheduler};
    use filch_workload::dag::Family;

    /// A rectangle for every instruction, an arrow for every steal, and nothing that a browser
    /// would refuse.
    #[test]
    fn everything_is_drawn() {
        let family: Family = "fib:8".parse().unwrap();
        let machine = Machine::new(Scheduler::Stealing, 4);
        let (outcome, record) = machine
            .recorded(&family.computation(), Seed::new(1), 0, 10_000)
            .unwrap();
        let svg = svg(&record, "a & b <c>");
        let count = |what: &str| svg.matches(what).count() as u64;
        assert_eq!(count("fill=\"hsl("), outcome.work);
        assert_eq!(count("<line "), outcome.steals);
        assert_eq!(count("<circle "), outcome.wait);
        assert_eq!(count("stroke=\"#aaa\""), outcome.steal);
        assert!(svg.contains("<title>a &amp; b &lt;c&gt;</title>"));
        assert_eq!(count("<svg"), 1);
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
        assert_eq!(
            count("<rect") + count("<text") + count("<title>"),
            count("</rect>") + 1 + count("</text>") + count("</title>")
        );
    }
}
