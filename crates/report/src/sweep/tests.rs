//! Files that other readers understand.

use ::parquet::file::reader::{FileReader as _, SerializedFileReader};
use ::parquet::record::RowAccessor as _;
use filch_experiments::sweep::{Description, NotKept, Plan, Table, Value};

fn plan() -> Plan {
    let grid = |name: &str, values: Vec<Value>| (name.to_owned(), values);
    Plan::new(&Description {
        model: "natural".to_owned(),
        grid: vec![
            grid("processors", vec![3.into(), 5.into()]),
            grid("lambda", vec![0.25.into(), 0.5.into()]),
            grid("steps", vec![64.into()]),
        ],
        replications: Some(2),
        seed: Some(u64::MAX),
        ..Description::default()
    })
    .unwrap()
}

fn table(plan: &Plan) -> Table<'_> {
    let points: Vec<u64> = (0..plan.points()).collect();
    let rows = plan.complete(&points, Vec::new(), &NotKept).unwrap();
    Table::of(plan, rows).unwrap()
}

/// What is read back is what the rows have, in both files.
#[test]
fn both_files_hold_the_rows() {
    let plan = plan();
    let table = table(&plan);
    let columns = table.columns();
    let bytes = super::parquet(&table, &columns, "1.2.3");
    assert_eq!(bytes, super::parquet(&table, &columns, "1.2.3"));
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let metadata = reader.metadata().file_metadata();
    assert_eq!(metadata.created_by(), Some("filch version 1.2.3"));
    let entries = metadata.key_value_metadata().unwrap();
    let kept = entries
        .iter()
        .find(|entry| entry.key == "filch.plan")
        .unwrap();
    assert_eq!(kept.value.as_ref(), Some(&plan.canonical()));

    let text = super::csv(&columns, 0..3) + &super::csv(&columns, 3..8);
    let mut lines = ::csv::Reader::from_reader(text.as_bytes());
    let names: Vec<String> = lines.headers().unwrap().iter().map(str::to_owned).collect();
    let at = |name: &str| names.iter().position(|one| one == name).unwrap();
    let lines: Vec<_> = lines.records().map(Result::unwrap).collect();
    let rows: Vec<_> = reader
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!((rows.len(), lines.len()), (8, 8));
    for ((row, line), made) in rows.iter().zip(&lines).zip(table.rows()) {
        let parameters = plan.parameters_of(made.point);
        assert_eq!(row.get_string(0).unwrap(), "natural");
        assert_eq!(row.get_ulong(at("seed")).unwrap(), u64::MAX);
        assert_eq!(row.get_ulong(at("point")).unwrap(), made.point);
        assert_eq!(row.get_ulong(at("replication")).unwrap(), made.replication);
        let lambda = row.get_double(at("lambda")).unwrap();
        assert_eq!(Some(Value::from(lambda)), parameters[1]);
        let mean = row.get_double(at("mean_load")).unwrap();
        assert_eq!(made.cells[0], mean.into());
        assert!(row.get_ulong(at("cut_step")).is_err(), "there is none");
        assert_eq!(&line[0], "natural");
        assert_eq!(line[at("seed")], u64::MAX.to_string());
        assert_eq!(line[at("mean_load")].parse(), Ok(mean));
        assert_eq!(line[at("verdict")], *row.get_string(at("verdict")).unwrap());
        assert_eq!(&line[at("cut_step")], "");
    }
}

/// A sweep has rows, but one of its shards may have none: the columns are there all the same.
#[test]
fn lines_can_be_cut_anywhere() {
    let plan = plan();
    let table = table(&plan);
    let columns = table.columns();
    let whole = super::csv(&columns, 0..8);
    assert_eq!(whole.lines().count(), 9);
    for cut in 1..8 {
        assert_eq!(
            super::csv(&columns, 0..cut) + &super::csv(&columns, cut..8),
            whole
        );
    }
    assert_eq!(super::csv(&columns, 0..0).lines().count(), 1);
}
