//! A sweep that was checked.

use std::fmt::Write as _;

use filch_random::Seed;

use super::column::Column;
use super::description::{Description, Refusal};
use super::model::{Measured, Model};
use super::parameter::DefaultValue;
use super::precision::Precision;
use super::row::Row;
use super::settings::Settings;
use super::value::Value;

/// A sweep that was checked: every point can be run, and every row is a function of the plan.
///
/// # Points
///
/// A point is a choice of one value for each parameter. Points are numbered from 0 in the order of
/// the model's [parameters](Model::parameters), the last varying fastest, and of the values as they
/// are listed.
///
/// # Randomness
///
/// Replication r of every point draws from the random streams of the plan's seed and of the number
/// r. So rows with the same r have common random numbers: two points are best compared by the
/// differences of their rows with equal r. Rows with different r are independent.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    model: &'static Model,
    seed: Seed,
    replications: u64,
    precision: Option<Precision>,
    /// The values of each parameter of the model; a single `None` if they depend on others.
    axes: Vec<Vec<Option<Value>>>,
    /// For each point, the time of a run in units of the model.
    weights: Vec<f64>,
    /// For each point, whether replications differ.
    random: Vec<bool>,
    bytes: u64,
}

const DEFAULT_REPLICATIONS: u64 = 8;
const DEFAULT_MOST: u64 = 1024;
const MOST_REPLICATIONS: u64 = 1 << 20;
/// More rows than this in one sweep are a slip of the finger.
const MOST_ROWS: u64 = 10_000_000;

impl Plan {
    /// Checks a description.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it.
    pub fn new(described: &Description) -> Result<Self, Refusal> {
        let model =
            Model::named(&described.model).map_err(|problem| Refusal::of("model", problem))?;
        let precision = precision(described, model)?;
        let replications = described.replications.unwrap_or(DEFAULT_REPLICATIONS);
        let axes = axes(model, &described.grid)?;
        let points = axes
            .iter()
            .try_fold(1u64, |product, axis| product.checked_mul(axis.len() as u64));
        let rows = points.and_then(|points| points.checked_mul(replications));
        let points = points.filter(|_| rows.is_some_and(|rows| rows <= MOST_ROWS));
        let points = points.ok_or_else(|| {
            let problem = format!(
                "its points times the replications are more than {MOST_ROWS} rows: use fewer values"
            );
            Refusal::of("grid", problem)
        })?;
        let mut plan = Self {
            model,
            seed: described.seed.map_or_else(Seed::default, Seed::new),
            replications,
            precision,
            axes,
            weights: Vec::new(),
            random: Vec::new(),
            bytes: 0,
        };
        plan.examine(points)?;
        Ok(plan)
    }

    /// Checks every point.
    fn examine(&mut self, points: u64) -> Result<(), Refusal> {
        let mut measured = Measured::new();
        for number in 0..points {
            let mut values = self.parameters_of(number);
            let settings = Settings {
                parameters: self.model.parameters,
                values: &mut values,
            };
            let examined = (self.model.examine)(&settings, &mut measured);
            let examined = examined.map_err(|misfit| {
                let axis = self.model.parameters.iter();
                let axis = axis.clone().position(|one| one.name == misfit.field);
                let refusal = Refusal::of(misfit.field, misfit.problem);
                axis.map_or(refusal.clone(), |axis| {
                    refusal.at(self.choices(number)[axis])
                })
            })?;
            self.weights.push(examined.weight);
            self.random.push(examined.random);
            self.bytes = self.bytes.max(examined.bytes);
        }
        Ok(())
    }

    /// The model.
    pub fn model(&self) -> &'static Model {
        self.model
    }

    /// What all randomness comes from.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Replications of each point; with a precision, the first of them.
    pub fn replications(&self) -> u64 {
        self.replications
    }

    /// The precision that is wanted, if one is.
    pub fn precision(&self) -> Option<Precision> {
        self.precision
    }

    /// How many points there are.
    pub fn points(&self) -> u64 {
        self.weights.len() as u64
    }

    /// The expected time of a run of this point, in units that are the same for all points.
    pub fn weight(&self, point: u64) -> f64 {
        self.weights[point as usize]
    }

    /// The bytes of the largest run, about.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Which of its values each parameter has at this point.
    fn choices(&self, mut point: u64) -> Vec<usize> {
        let mut choices: Vec<usize> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let choice = point % axis.len() as u64;
                point /= axis.len() as u64;
                choice as usize
            })
            .collect();
        choices.reverse();
        choices
    }

    /// The value of each parameter at this point, also of those that depend on others; `None` where
    /// a parameter has no meaning.
    pub fn parameters_of(&self, point: u64) -> Vec<Option<Value>> {
        let choices = self.choices(point).into_iter();
        let mut values: Vec<_> = choices
            .zip(&self.axes)
            .map(|(choice, axis)| axis[choice].clone())
            .collect();
        (self.model.fill)(&mut Settings {
            parameters: self.model.parameters,
            values: &mut values,
        });
        values
    }

    /// Makes a run: the row of this replication of this point.
    ///
    /// # Errors
    ///
    /// If the run fails, as a checked one does that violates what the papers promise.
    ///
    /// # Panics
    ///
    /// If there is no such point.
    pub fn row(&self, point: u64, replication: u64) -> Result<Row, String> {
        assert!(point < self.points(), "a point of the plan");
        let mut values = self.parameters_of(point);
        let settings = Settings {
            parameters: self.model.parameters,
            values: &mut values,
        };
        let cells = (self.model.run)(&settings, self.seed, replication)?;
        debug_assert_eq!(cells.len(), self.model.results.len());
        Ok(Row {
            point,
            replication,
            cells,
        })
    }

    /// How many replications this point has to have, as far as its rows show; they are those of its
    /// first replications, in order. If that is not more than there are, the point is finished.
    pub fn due(&self, point: u64, rows: &[Row]) -> u64 {
        if !self.random[point as usize] {
            return 1;
        }
        let target = self.model.target_at();
        match self.precision.zip(target) {
            None => self.replications,
            Some((precision, target)) => {
                let values: Vec<_> = rows.iter().map(|row| row.number(target)).collect();
                precision.due(self.replications, &values)
            }
        }
    }

    /// How many of the points in these rows, which are in order, did not become as precise as is
    /// wanted; none without a precision.
    pub fn wide(&self, rows: &[Row]) -> usize {
        let Some((precision, target)) = self.precision.zip(self.model.target_at()) else {
            return 0;
        };
        let points = rows.chunk_by(|first, second| first.point == second.point);
        let wide = |rows: &&[Row]| {
            let values: Option<Vec<f64>> = rows.iter().map(|row| row.number(target)).collect();
            let random = self.random[rows[0].point as usize];
            random && !values.is_some_and(|values| precision.is_met(&values))
        };
        points.filter(wide).count()
    }

    /// All columns of a sweep: model, seed, point and replication, the parameters, the results.
    pub fn columns(&self) -> Vec<Column> {
        let parameters = self.model.parameters.iter();
        IDENTITY
            .into_iter()
            .chain(parameters.map(|parameter| parameter.column()))
            .chain(self.model.results.iter().copied())
            .collect()
    }

    /// The plan as a sweep file (TOML), in its canonical form: two descriptions of the same sweep
    /// have the same one, and reading it gives the same plan.
    pub fn canonical(&self) -> String {
        let mut text = format!(
            "model = {}\nseed = {}\nreplications = {}\n",
            Value::from(self.model.name),
            self.seed.get(),
            self.replications
        );
        if let Some(Precision { relative, most }) = self.precision {
            let _ = writeln!(text, "until = {relative:?}\nmost_replications = {most}");
        }
        text.push_str("\n[grid]\n");
        for (parameter, axis) in self.model.parameters.iter().zip(&self.axes) {
            let values: Vec<_> = axis.iter().flatten().map(Value::to_string).collect();
            if !values.is_empty() {
                let _ = writeln!(text, "{} = [{}]", parameter.name, values.join(", "));
            }
        }
        text
    }
}

/// The columns before the parameters.
pub(super) const IDENTITY: [Column; 4] = [
    Column {
        name: "model",
        kind: super::column::ColumnKind::Text,
        meaning: "the model",
    },
    Column::whole("seed", "what all randomness comes from"),
    Column::whole("point", "the number of the point, from 0"),
    Column::whole("replication", "the number of the replication, from 0"),
];

fn precision(described: &Description, model: &Model) -> Result<Option<Precision>, Refusal> {
    let replications = described.replications.unwrap_or(DEFAULT_REPLICATIONS);
    let range = |field: &str, number: u64, least: u64| {
        if (least..=MOST_REPLICATIONS).contains(&number) {
            Ok(())
        } else {
            let problem =
                format!("'{number}' is not a whole number from {least} to {MOST_REPLICATIONS}");
            Err(Refusal::of(field, problem))
        }
    };
    range("replications", replications, 1)?;
    let Some(relative) = described.until else {
        return match described.most_replications {
            Some(_) => {
                let problem = "it means nothing without until: add until = \"1%\", or leave it out";
                Err(Refusal::of("most_replications", problem))
            }
            None => Ok(None),
        };
    };
    if !Precision::is_share(relative) {
        let problem =
            format!("'{relative}' is not a share between 0 and 1, both excluded: write 1% or 0.01");
        return Err(Refusal::of("until", problem));
    }
    if model.target.is_none() {
        let problem = format!(
            "nothing is random in the model {}: leave it out",
            model.name
        );
        return Err(Refusal::of("until", problem));
    }
    if replications < 2 {
        let problem =
            "an interval needs 2 replications at least: use 2 or more, or leave out until";
        return Err(Refusal::of("replications", problem));
    }
    let most = described.most_replications;
    let most = most.unwrap_or(DEFAULT_MOST.max(replications));
    range("most_replications", most, replications)?;
    Ok(Some(Precision { relative, most }))
}

/// The values of every parameter, in their canonical form.
fn axes(
    model: &'static Model,
    grid: &[(String, Vec<Value>)],
) -> Result<Vec<Vec<Option<Value>>>, Refusal> {
    let names = || model.parameters.iter().map(|parameter| parameter.name);
    for (at, (name, values)) in grid.iter().enumerate() {
        if !names().any(|known| known == name) {
            let known: Vec<_> = names().collect();
            let problem = format!(
                "the model {} has no such parameter: use {}",
                model.name,
                known.join(", ")
            );
            return Err(Refusal {
                forms: known,
                ..Refusal::of(name, problem)
            });
        }
        if grid[..at].iter().any(|(before, _)| before == name) {
            return Err(Refusal::of(name, "it is given twice: give it once"));
        }
        if values.is_empty() {
            return Err(Refusal::of(name, "there is nothing in the list"));
        }
    }
    let axis = |parameter: &super::parameter::Parameter| {
        let name = parameter.name;
        let given = grid.iter().find(|(given, _)| given == name);
        let Some((_, given)) = given else {
            if let DefaultValue::Required = parameter.default {
                let problem = format!("say {}", parameter.meaning);
                return Err(Refusal::of(name, problem));
            }
            return Ok(vec![parameter.default_value()]);
        };
        let mut values = Vec::new();
        for (at, value) in given.iter().enumerate() {
            let read = parameter.read(value).map_err(|problem| Refusal {
                forms: parameter.forms(),
                ..Refusal::of(name, problem).at(at)
            })?;
            if values.contains(&Some(read.clone())) {
                let problem = format!("{} is there twice: give each value once", read.typed());
                return Err(Refusal::of(name, problem).at(at));
            }
            values.push(Some(read));
        }
        Ok(values)
    };
    model.parameters.iter().map(axis).collect()
}
