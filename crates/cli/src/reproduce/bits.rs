//! A chapter as JSON and back, without the loss of a digit.

use filch_experiments::values::{
    Axis, Cell, Chapter, Claim, Origin, Outcome, Plot, Point, Series, Table,
};
use serde_json::{Value, json};

/// A chapter as JSON. Numbers that are not whole are written as their bits.
pub(super) fn written(chapter: &Chapter) -> Value {
    let claims = chapter.claims.iter().map(|claim| {
        json!({
            "claim": claim.claim, "stated": claim.stated, "checked": claim.checked,
            "found": claim.found, "measured": claim.measured.map(f64::to_bits),
            "bound": claim.bound.map(f64::to_bits), "outcome": claim.outcome.name(),
        })
    });
    let tables = chapter.tables.iter().map(|table| {
        let rows = table
            .rows
            .iter()
            .map(|row| row.iter().map(cell).collect::<Value>());
        json!({
            "title": table.title, "columns": table.columns, "rows": rows.collect::<Value>(),
        })
    });
    json!({
        "id": chapter.id, "title": chapter.title, "text": chapter.text,
        "measured": chapter.measured, "claims": claims.collect::<Value>(),
        "tables": tables.collect::<Value>(),
        "plots": chapter.plots.iter().map(plot).collect::<Value>(),
    })
}

fn cell(cell: &Cell) -> Value {
    match cell {
        Cell::Text(text) => json!(text),
        Cell::Integer(number) => json!(number),
        Cell::Real(number) => json!([number.to_bits()]),
    }
}

fn plot(plot: &Plot) -> Value {
    let axis = |axis: &Axis| json!([axis.label, axis.logarithmic]);
    let point = |point: &Point| {
        let interval = point.interval.map(|ends| ends.map(f64::to_bits));
        json!([point.x.to_bits(), point.y.to_bits(), interval])
    };
    let series = plot.series.iter().map(|series| {
        json!({
            "name": series.name, "origin": series.origin.name(),
            "points": series.points.iter().map(point).collect::<Value>(),
        })
    });
    json!({
        "id": plot.id, "title": plot.title, "x": axis(&plot.x), "y": axis(&plot.y),
        "series": series.collect::<Value>(), "command": plot.command,
    })
}

/// The chapter that was written, if it is one of this title.
pub(super) fn chapter(value: &Value, title: &'static str) -> Option<Chapter> {
    if value["title"].as_str()? != title {
        return None;
    }
    Some(Chapter {
        id: name(&value["id"])?,
        title,
        text: text(&value["text"])?,
        measured: value["measured"].as_bool()?,
        claims: list(&value["claims"], claim)?,
        tables: list(&value["tables"], table)?,
        plots: list(&value["plots"], read_plot)?,
    })
}

/// A number that was written as its bits.
pub(super) fn number(value: &Value) -> Option<f64> {
    value.as_u64().map(f64::from_bits)
}

fn claim(value: &Value) -> Option<Claim> {
    let optional = |value: &Value| match value {
        Value::Null => Some(None),
        value => number(value).map(Some),
    };
    let outcomes = [Outcome::Holds, Outcome::DoesNotHold, Outcome::Undecided];
    let outcome = value["outcome"].as_str()?;
    Some(Claim {
        claim: text(&value["claim"])?,
        stated: name(&value["stated"])?,
        checked: text(&value["checked"])?,
        found: text(&value["found"])?,
        measured: optional(&value["measured"])?,
        bound: optional(&value["bound"])?,
        outcome: outcomes.into_iter().find(|known| known.name() == outcome)?,
    })
}

fn table(value: &Value) -> Option<Table> {
    Some(Table {
        title: text(&value["title"])?,
        columns: list(&value["columns"], name)?,
        rows: list(&value["rows"], |row| list(row, read_cell))?,
    })
}

fn read_cell(value: &Value) -> Option<Cell> {
    match value {
        Value::String(text) => Some(Cell::Text(text.clone())),
        Value::Number(number) => number.as_u64().map(Cell::Integer),
        Value::Array(bits) => number(bits.first()?).map(Cell::Real),
        _ => None,
    }
}

fn read_plot(value: &Value) -> Option<Plot> {
    let axis = |value: &Value| {
        Some(Axis {
            label: name(&value[0])?,
            logarithmic: value[1].as_bool()?,
        })
    };
    Some(Plot {
        id: text(&value["id"])?,
        title: text(&value["title"])?,
        x: axis(&value["x"])?,
        y: axis(&value["y"])?,
        series: list(&value["series"], series)?,
        command: text(&value["command"])?,
    })
}

fn series(value: &Value) -> Option<Series> {
    let origins = [Origin::Theory, Origin::Simulated, Origin::Measured];
    let origin = value["origin"].as_str()?;
    Some(Series {
        name: text(&value["name"])?,
        origin: origins.into_iter().find(|known| known.name() == origin)?,
        points: list(&value["points"], point)?,
    })
}

fn point(value: &Value) -> Option<Point> {
    let interval = match &value[2] {
        Value::Null => None,
        ends => Some([number(&ends[0])?, number(&ends[1])?]),
    };
    Some(Point {
        x: number(&value[0])?,
        y: number(&value[1])?,
        interval,
    })
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(read).collect()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// A name that lives as long as the program: chapters have them from its text. A report has some
/// hundred.
fn name(value: &Value) -> Option<&'static str> {
    text(value).map(|text| &*text.leak())
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_experiments::Silent;
    use filch_experiments::chapters::{CHAPTERS, Scale, Setting};
    use filch_random::Seed;

    /// What is read equals what was written, for real chapters and for numbers of every kind.
    #[test]
    fn there_and_back() {
        let writer = &CHAPTERS[1];
        let setting = Setting::new(Scale::Sketch, Seed::new(1), &Silent);
        let mut whole = (writer.write)(&setting);
        let numbers = [0.1 + 0.2, f64::INFINITY, -0.0, 5e-324, 1e300];
        whole.tables.push(Table {
            title: "numbers".to_owned(),
            columns: vec!["a", "b", "c", "d", "e"],
            rows: vec![
                numbers.map(Cell::from).to_vec(),
                vec![Cell::Integer(u64::MAX), Cell::Text("\"·\n".to_owned())],
            ],
        });
        whole.plots.push(Plot {
            id: "p".to_owned(),
            title: String::new(),
            x: Axis {
                label: "x",
                logarithmic: true,
            },
            y: Axis {
                label: "y",
                logarithmic: false,
            },
            series: vec![Series {
                name: "s".to_owned(),
                origin: Origin::Theory,
                points: numbers
                    .map(|number| Point {
                        x: number,
                        y: 1.0 / 3.0,
                        interval: Some([number, 2.0]),
                    })
                    .to_vec(),
            }],
            command: "filch".to_owned(),
        });
        let text = written(&whole).to_string();
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(chapter(&read, writer.title), Some(whole));
        assert_eq!(chapter(&read, "another"), None);
        for cut in ["claims", "tables", "text"] {
            let mut broken = read.clone();
            broken[cut] = Value::Null;
            assert_eq!(chapter(&broken, writer.title), None, "{cut}");
        }
    }
}
