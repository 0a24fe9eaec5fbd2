//! Sweeps: a model on a grid of parameters, with replications, on any number of machines.
//!
//! A [`Description`] is plain data; a [`Plan`] is one that was checked. A plan has numbered points.
//! [`Plan::row`] makes one replication of one point, and its result is a function of the plan, the
//! point and the replication alone. [`Plan::complete`] makes all rows that are missing on all
//! cores, [`Plan::points_of`] deals the points out to [shards](Shard), and a [`Table`] has all rows
//! in order, column by column. Nothing is written here: `filch sweep` keeps rows in files.
//!
//! ```
//! use filch_experiments::sweep::{Description, NotKept, Plan, Shard, Table};
//!
//! let plan = Plan::new(&Description {
//!     model: "natural".to_owned(),
//!     grid: vec![
//!         ("processors".to_owned(), vec![4.into(), 8.into()]),
//!         ("lambda".to_owned(), vec![0.5.into()]),
//!         ("steps".to_owned(), vec![100.into()]),
//!     ],
//!     replications: Some(3),
//!     ..Description::default()
//! })?;
//! assert_eq!(plan.points(), 2);
//!
//! // Two shards, made anywhere and in any order.
//! let mut rows = Vec::new();
//! for number in [2, 1] {
//!     let points = plan.points_of(Shard::new(number, 2).ok_or("no such shard")?);
//!     rows.extend(plan.complete(&points, Vec::new(), &NotKept)?);
//! }
//! let table = Table::of(&plan, rows)?;
//! assert_eq!(table.rows()[4], plan.row(1, 1)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod column;
mod description;
mod model;
mod models;
mod parameter;
mod plan;
mod precision;
mod row;
mod run;
mod settings;
mod shard;
mod table;
#[cfg(test)]
mod tests;
mod value;

pub use column::{Cell, Column, ColumnKind, ResultCell};
pub use description::{Description, Refusal};
pub use model::Model;
pub use parameter::{DefaultValue, NameRule, Parameter, ParameterKind};
pub use plan::Plan;
pub use precision::Precision;
pub use row::Row;
pub use run::{Keeper, NotKept, Unfinished};
pub use shard::Shard;
pub use table::{ColumnValues, Table, TableColumn};
pub use value::Value;
