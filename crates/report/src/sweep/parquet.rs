//! A Parquet file, column by column.

use std::ops::Range;
use std::sync::Arc;

use filch_experiments::sweep::{ColumnValues, Table, TableColumn};
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};

/// Rows of a row group.
const GROUP: usize = 1 << 18;

pub(super) fn file(table: &Table<'_>, columns: &[TableColumn], version: &str) -> Vec<u8> {
    written(table, columns, version).expect("our columns fit their schema, and memory takes them")
}

fn written(
    table: &Table<'_>,
    columns: &[TableColumn],
    version: &str,
) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(|column| field(column).map(Arc::new));
    let fields: Vec<_> = fields.collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("sweep").with_fields(fields);
    let entry = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("filch version {version}"))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(vec![
            entry("filch.version", version.to_owned()),
            entry("filch.plan", table.plan().canonical()),
        ]));
    for column in columns {
        // Measured numbers hardly repeat: a dictionary would be given up in each row group.
        if let ColumnValues::Real(_) = column.values {
            let path = ColumnPath::from(column.column.name);
            properties = properties.set_column_dictionary_enabled(path, false);
        }
    }
    let mut bytes = Vec::new();
    let properties = Arc::new(properties.build());
    let mut file = SerializedFileWriter::new(&mut bytes, Arc::new(schema.build()?), properties)?;
    let count = table.rows().len();
    for from in (0..count).step_by(GROUP) {
        let rows = from..count.min(from + GROUP);
        let mut group = file.next_row_group()?;
        for column in columns {
            write(&mut group, column, rows.clone())?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(bytes)
}

fn field(column: &TableColumn) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.values {
        ColumnValues::Whole(_) => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
        ColumnValues::Real(_) => (PhysicalType::DOUBLE, None),
        ColumnValues::Flag(_) => (PhysicalType::BOOLEAN, None),
        ColumnValues::Text { .. } => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
    };
    Type::primitive_type_builder(column.column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

/// The writer of a row group in memory.
type Group<'a, 'b> = SerializedRowGroupWriter<'a, &'b mut Vec<u8>>;

fn write(
    group: &mut Group<'_, '_>,
    column: &TableColumn,
    rows: Range<usize>,
) -> Result<(), ParquetError> {
    let present = &column.present[rows.clone()];
    match &column.values {
        ColumnValues::Whole(values) => {
            // The same bits: the logical type says that there is no sign.
            let value = |at: usize| values[at] as i64;
            values_of::<Int64Type>(group, present, rows, value)
        }
        ColumnValues::Real(values) => {
            values_of::<DoubleType>(group, present, rows, |at| values[at])
        }
        ColumnValues::Flag(values) => values_of::<BoolType>(group, present, rows, |at| values[at]),
        ColumnValues::Text { names, codes } => {
            let names: Vec<ByteArray> = names.iter().map(|name| ByteArray::from(&**name)).collect();
            let value = |at: usize| names[codes[at] as usize].clone();
            values_of::<ByteArrayType>(group, present, rows, value)
        }
    }
}

/// Writes the values that are there, and which they are.
fn values_of<T: DataType>(
    group: &mut Group<'_, '_>,
    present: &[bool],
    rows: Range<usize>,
    value: impl Fn(usize) -> T::T,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = present.iter().map(|&present| present.into()).collect();
    let there = rows.zip(present).filter(|(_, present)| **present);
    let values: Vec<T::T> = there.map(|(at, _)| value(at)).collect();
    let column = group.next_column()?;
    let mut column = column.expect("a column for each field");
    column
        .typed::<T>()
        .write_batch(&values, Some(&levels), None)?;
    column.close()
}
