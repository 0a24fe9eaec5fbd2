//! Shards, stopped sweeps, tables.

use super::*;

/// Whatever the cut, every point is in one shard, and the table is the same.
#[test]
fn any_cut_gives_the_same_table() {
    let plan = plan(&small());
    let all: Vec<u64> = (0..plan.points()).collect();
    let whole = plan
        .complete(&plan.points_of(Shard::WHOLE), Vec::new(), &NotKept)
        .unwrap();
    let whole = Table::of(&plan, whole).unwrap();
    for of in [1, 2, 3, 7] {
        let shards = (1..=of).rev().map(|number| Shard::new(number, of).unwrap());
        let points: Vec<Vec<u64>> = shards.map(|shard| plan.points_of(shard)).collect();
        let mut once = points.concat();
        once.sort_unstable();
        assert_eq!(once, all);
        let rows = points
            .iter()
            .flat_map(|points| plan.complete(points, Vec::new(), &NotKept).unwrap());
        let table = Table::of(&plan, rows.collect()).unwrap();
        assert_eq!(table.rows(), whole.rows());
    }
}

/// Ten points of which the last of a pair takes ten times as long: two shards share them.
#[test]
fn shards_are_equally_heavy() {
    let plan = plan(&described(
        "natural",
        &[
            (
                "processors",
                &[10.into(), 20.into(), 30.into(), 40.into(), 50.into()],
            ),
            ("lambda", &[0.5.into()]),
            ("steps", &[1000.into(), 10_000.into()]),
        ],
    ));
    let heavy = |number| -> f64 {
        let points = plan.points_of(Shard::new(number, 2).unwrap());
        points.into_iter().map(|point| plan.weight(point)).sum()
    };
    assert!((heavy(1) / heavy(2) - 1.0).abs() < 0.1);
}

/// Remembers which rows were made.
#[derive(Default)]
struct Made {
    rows: Mutex<Vec<Row>>,
    most: Option<usize>,
}

impl Keeper for Made {
    fn expect(&self, _: &[(u64, u64)]) {}

    fn keep(&self, row: &Row, _: Duration) -> ControlFlow<()> {
        let mut rows = self.rows.lock().unwrap();
        rows.push(row.clone());
        match self.most {
            Some(most) if rows.len() >= most => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// A sweep that was stopped goes on: no row is made twice, and the table is the same.
#[test]
fn what_was_made_is_not_made_again() {
    let mut description = small();
    description.until = Some(0.05);
    description.most_replications = Some(9);
    let plan = plan(&description);
    let points: Vec<u64> = (0..plan.points()).collect();
    let whole = plan.complete(&points, Vec::new(), &NotKept).unwrap();
    assert!(whole.len() > 18, "the precision adds rows: {}", whole.len());
    let mut kept: Vec<Row> = Vec::new();
    let mut stops = 0;
    loop {
        let made = Made {
            most: Some(4),
            ..Made::default()
        };
        let done = plan.complete(&points, kept.clone(), &made);
        kept.extend(made.rows.into_inner().unwrap());
        let different: HashSet<_> = kept.iter().map(Row::key).collect();
        assert_eq!(different.len(), kept.len(), "a row was made twice");
        match done {
            Ok(rows) => {
                assert_eq!(rows, whole);
                break;
            }
            Err(error) => assert_eq!(error, Unfinished::Stopped),
        }
        stops += 1;
    }
    assert!(stops >= 4, "{stops}");
    assert_eq!(Table::of(&plan, kept).unwrap().rows(), whole);
}

#[test]
fn tables_are_whole() {
    let plan = plan(&small());
    let points: Vec<u64> = (0..plan.points()).collect();
    let rows = plan.complete(&points, Vec::new(), &NotKept).unwrap();
    let refused = |rows: Vec<Row>| Table::of(&plan, rows).unwrap_err();
    let mut twice = rows.clone();
    twice.push(rows[4].clone());
    assert_eq!(refused(twice), "point 1, replication 1 is there twice");
    for at in [0, 7, 17] {
        let mut fewer = rows.clone();
        let point = fewer.remove(at).point;
        assert_eq!(
            refused(fewer),
            format!("point {point} does not have all its replications")
        );
    }
    let mut foreign = rows.clone();
    foreign.push(Row {
        point: 6,
        ..rows[0].clone()
    });
    assert_eq!(
        refused(foreign),
        "point 6, replication 0 is not of the plan"
    );

    let table = Table::of(&plan, rows).unwrap();
    let columns = table.columns();
    let names: Vec<_> = columns.iter().map(|one| one.column.name).collect();
    let expected: Vec<_> = plan.columns().iter().map(|one| one.name).collect();
    assert_eq!(names, expected);
    assert_eq!(
        names[..6],
        [
            "model",
            "seed",
            "point",
            "replication",
            "processors",
            "lambda"
        ]
    );
    for column in &columns {
        assert_eq!(column.present.len(), 18);
        let missing = column.column.name == "cut_step";
        assert_eq!(
            column.present.contains(&false),
            missing,
            "{}",
            column.column.name
        );
    }
    let ColumnValues::Whole(processors) = &columns[4].values else {
        panic!()
    };
    assert_eq!(processors[..7], [4, 4, 4, 4, 4, 4, 64]);
    let ColumnValues::Whole(replications) = &columns[3].values else {
        panic!()
    };
    assert_eq!(replications[..7], [0, 1, 2, 0, 1, 2, 0]);
    let ColumnValues::Text { names, codes } = &columns[0].values else {
        panic!()
    };
    assert_eq!(
        (&names[..], codes.iter().sum()),
        (&["natural".to_owned()][..], 0)
    );
}

#[test]
fn shards_have_names() {
    let shard: Shard = "3/200".parse().unwrap();
    assert_eq!(
        (shard.number(), shard.of(), shard.to_string()),
        (3, 200, "3/200".to_owned())
    );
    for text in [
        "",
        "3",
        "0/2",
        "3/2",
        "-1/2",
        "+1/2",
        "1/0",
        "1/1000001",
        "1/2/3",
        "a/b",
    ] {
        let error = text.parse::<Shard>().unwrap_err();
        assert!(
            error.starts_with(&format!("'{text}' is not K/N")),
            "{error}"
        );
    }
}
