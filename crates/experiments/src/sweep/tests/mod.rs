//! Plans, points, rows and tables.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

use filch_policy::dispatch::Spec;
use filch_random::Seed;
use filch_sim::machine::{Machine, Scheduler};
use filch_workload::dag::Family;

use super::*;
use crate::Silent;
use crate::dispatch::{Demand, Farm, Sweep};
use crate::fleet::FleetStudy;
use crate::natural::{Process, RunLength, Study};

fn described(model: &str, grid: &[(&str, &[Value])]) -> Description {
    Description {
        model: model.to_owned(),
        grid: grid
            .iter()
            .map(|(name, values)| ((*name).to_owned(), values.to_vec()))
            .collect(),
        replications: Some(3),
        ..Description::default()
    }
}

/// Six points of the natural process, each of which takes no time.
fn small() -> Description {
    described(
        "natural",
        &[
            ("steps", &[200.into()]),
            ("lambda", &[0.5.into(), 0.8.into()]),
            ("processors", &[4.into(), 64.into(), 9.into()]),
        ],
    )
}

fn plan(described: &Description) -> Plan {
    Plan::new(described).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn number(plan: &Plan, row: &Row, column: &str) -> f64 {
    let results = plan.model().results.iter();
    let at = results.clone().position(|one| one.name == column);
    row.number(at.expect("a column")).expect("a number")
}

/// Whatever the order of the file: the model's order of parameters, the last varying fastest.
#[test]
fn points_are_numbered() {
    let plan = plan(&small());
    let points: Vec<_> = (0..plan.points())
        .map(|point| {
            let values = plan.parameters_of(point);
            (values[0].clone().unwrap(), values[1].clone().unwrap())
        })
        .collect();
    let expected: Vec<(Value, Value)> = [4u64, 64, 9]
        .into_iter()
        .flat_map(|processors| [0.5, 0.8].map(|lambda| (processors.into(), lambda.into())))
        .collect();
    assert_eq!(points, expected);
}

#[test]
fn defaults_are_canonical() {
    for model in Model::ALL {
        for parameter in model.parameters {
            if let Some(default) = parameter.default_value() {
                let read = parameter.read(&default);
                assert_eq!(read, Ok(default), "{} {}", model.name, parameter.name);
            }
        }
        let columns = model.parameters.iter().map(|one| one.name);
        let columns = columns.chain(model.results.iter().map(|one| one.name));
        let columns = columns.chain(["model", "seed", "point", "replication"]);
        let all: Vec<_> = columns.collect();
        let different: HashSet<_> = all.iter().collect();
        assert_eq!(all.len(), different.len(), "{}", model.name);
    }
}

#[test]
fn one_sweep_has_one_canonical_form() {
    let one = described(
        "dispatch",
        &[
            ("policy", &["idle(last)".into(), "jsq".into()]),
            ("servers", &["a=2@1".into()]),
        ],
    );
    let mut other = described(
        "dispatch",
        &[
            ("servers", &["a=2@uniform:1".into()]),
            ("batches", &["whole".into()]),
            ("policy", &["pi".into(), "jsq".into()]),
        ],
    );
    other.seed = Some(1);
    assert_eq!(
        plan(&one).canonical(),
        "model = \"dispatch\"\nseed = 1\nreplications = 3\n\n[grid]\n\
         servers = [\"a=2@uniform:1\"]\npolicy = [\"pi\", \"jsq\"]\nbatches = [\"whole\"]\n\
         slots = [100000]\nallow_overload = [false]\n"
    );
    assert_eq!(plan(&one), plan(&other));
    assert_eq!(plan(&one).canonical(), plan(&other).canonical());
}

/// Replication r of a point is run r of the command line.
#[test]
fn rows_of_the_natural_process_are_those_of_a_study() {
    let plan = plan(&small());
    let process = Process::new(
        64,
        "0.8".parse().unwrap(),
        "half".parse().unwrap(),
        "one".parse().unwrap(),
    );
    let study = Study {
        process: process.unwrap(),
        length: RunLength {
            cut: 1_000_000_000_000,
            ..RunLength::of(200)
        },
        replications: 3,
        seed: Seed::new(1),
    };
    for (replication, run) in (0..).zip(study.run(&Silent)) {
        let row = plan.row(3, replication).unwrap();
        assert_eq!(Some(number(&plan, &row, "mean_load")), run.mean_load());
        assert_eq!(number(&plan, &row, "max_queue"), run.longest as f64);
    }
}

#[test]
fn rows_of_the_farm_are_those_of_a_sweep() {
    let servers: crate::dispatch::Classes = "slow=3@1,fast=2@5".parse().unwrap();
    let plan = plan(&described(
        "dispatch",
        &[
            ("servers", &[servers.to_string().as_str().into()]),
            ("policy", &["pi".into(), "random".into()]),
            ("load", &[0.5.into()]),
            ("slots", &[2000.into()]),
        ],
    ));
    let sweep = Sweep {
        farms: &[Farm {
            name: "five".to_owned(),
            servers: filch_sim::farm::Servers::of(servers.classes).unwrap(),
        }],
        demands: &[Demand::Load("0.5".parse().unwrap())],
        batches: &[filch_sim::farm::Batches::Whole],
        policies: &["pi".parse().unwrap(), "random".parse().unwrap()],
        slots: 2000,
        warm_up: None,
        seed: Seed::new(1),
    };
    let situations = sweep.simulate(&Silent).unwrap();
    for (point, run) in (0..).zip(&situations[0].runs) {
        let row = plan.row(point, 0).unwrap();
        assert_eq!(
            number(&plan, &row, "mean_total_queue"),
            run.estimates.mean_queue
        );
        let mean = run.estimates.completion.as_ref().unwrap().mean().unwrap();
        assert_eq!(number(&plan, &row, "jct_mean"), mean);
        assert_ne!(plan.row(point, 1).unwrap().cells, row.cells);
    }
}

#[test]
fn rows_of_a_computation_are_those_of_its_machine() {
    let plan = plan(&described(
        "dag",
        &[
            ("family", &["fib:9".into()]),
            ("scheduler", &["greedy".into(), "stealing".into()]),
            ("processors", &[3.into()]),
            ("check", &[true.into()]),
        ],
    ));
    let family: Family = "fib:9".parse().unwrap();
    for (point, scheduler) in (0..).zip([Scheduler::Greedy, Scheduler::Stealing]) {
        let machine = Machine::new(scheduler, 3);
        let alone = machine.run(&family.computation(), Seed::new(1), 2);
        let row = plan.row(point, 2).unwrap();
        assert_eq!(number(&plan, &row, "time"), alone.time as f64);
        // A machine without randomness runs once.
        assert_eq!(plan.due(point, &[]), if point == 0 { 1 } else { 3 });
    }
    // What a scheduler does not look at has no value.
    let named = |point: u64, name: &str| {
        let at = plan
            .model()
            .parameters
            .iter()
            .position(|one| one.name == name);
        plan.parameters_of(point)[at.unwrap()].clone()
    };
    assert_eq!(
        [named(0, "order"), named(0, "victim")],
        [Some("oldest".into()), None]
    );
    assert_eq!(
        [named(1, "order"), named(1, "victim")],
        [None, Some("uniform".into())]
    );
}

#[test]
fn limits_are_rows_too() {
    let plan = plan(&described(
        "limit supermarket",
        &[
            ("lambda", &[0.5.into()]),
            ("choices", &[1.into(), 2.into()]),
        ],
    ));
    let rows = plan.complete(&[0, 1], Vec::new(), &NotKept).unwrap();
    assert_eq!(rows.len(), 2);
    // An M/M/1 queue has λ/(1 − λ) jobs.
    assert!((number(&plan, &rows[0], "mean_load_per_processor") - 1.0).abs() < 1e-9);
    let tails: f64 = [1.0f64, 3.0, 7.0, 15.0, 31.0, 63.0]
        .iter()
        .map(|&power| 0.5f64.powf(power))
        .sum();
    assert!((number(&plan, &rows[1], "mean_load_per_processor") - tails).abs() < 1e-9);
}

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

/// One server is an M/M/1 queue, 1/(1 − λ) mean service times. The interval that is reached is as
/// narrow as was asked for.
#[test]
fn the_precision_is_reached() {
    let mut description = described(
        "fleet",
        &[
            ("servers", &[1.into()]),
            ("lambda", &[0.3.into(), 0.5.into()]),
            ("policy", &["random".into()]),
            ("time", &[4000.0.into()]),
            ("warmup", &[400.0.into()]),
        ],
    );
    description.until = Some(0.02);
    description.replications = Some(4);
    let plan = plan(&description);
    let rows = plan.complete(&[0, 1], Vec::new(), &NotKept).unwrap();
    let precision = plan.precision().unwrap();
    for (point, exact) in [(0, 1.0 / 0.7), (1, 2.0)] {
        let rows: Vec<_> = rows.iter().filter(|row| row.point == point).collect();
        let times: Vec<f64> = rows
            .iter()
            .map(|row| number(&plan, row, "mean_time_in_system"))
            .collect();
        assert!((4..1024).contains(&times.len()) && precision.is_met(&times));
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        // Twice the half-width: far beyond the 5 % of an interval that is looked at a few times,
        // and the seed is fixed.
        assert!((mean / exact - 1.0).abs() < 0.04, "{mean} {exact}");
        // One replication fewer in each look would not have been enough.
        let before = times.len() * 2 / 3;
        assert!(times.len() == 4 || !precision.is_met(&times[..before]));
    }
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

/// Each line: what is changed in a good description, the field that is named, which of its values,
/// and how the complaint begins.
#[test]
fn wrong_fields_are_named() {
    let natural = |name: &str, values: &[Value]| {
        let mut description = small();
        description.grid.retain(|(known, _)| known != name);
        description.grid.push((name.to_owned(), values.to_vec()));
        description
    };
    let dispatch = |grid: &[(&str, &[Value])]| described("dispatch", grid);
    let with = |change: fn(&mut Description)| {
        let mut description = small();
        change(&mut description);
        description
    };
    let huge: Vec<Value> = (1..=4000u64).map(Value::from).collect();
    let cases: Vec<(Description, &str, Option<usize>, &str)> = vec![
        (
            with(|one| one.model = "naturl".into()),
            "model",
            None,
            "unknown model 'naturl': use one of \"natural\", ",
        ),
        (
            with(|one| one.replications = Some(0)),
            "replications",
            None,
            "'0' is not a whole number from 1 to 1048576",
        ),
        (
            with(|one| one.until = Some(1.0)),
            "until",
            None,
            "'1' is not a share between 0 and 1",
        ),
        (
            with(|one| one.until = Some(f64::NAN)),
            "until",
            None,
            "'NaN' is not a share between 0 and 1",
        ),
        (
            with(|one| one.most_replications = Some(9)),
            "most_replications",
            None,
            "it means nothing without until",
        ),
        (
            with(|one| {
                one.until = Some(0.1);
                one.most_replications = Some(2)
            }),
            "most_replications",
            None,
            "'2' is not a whole number from 3 to 1048576",
        ),
        (
            with(|one| {
                one.until = Some(0.1);
                one.replications = Some(1)
            }),
            "replications",
            None,
            "an interval needs 2 replications at least",
        ),
        (
            with(|one| one.grid.push(("lamda".into(), vec![0.5.into()]))),
            "lamda",
            None,
            "the model natural has no such parameter: use processors, lambda, steal,",
        ),
        (
            with(|one| one.grid.push(("lambda".into(), vec![0.5.into()]))),
            "lambda",
            None,
            "it is given twice",
        ),
        (
            with(|one| {
                one.grid.remove(1);
            }),
            "lambda",
            None,
            "say the probability with which a generator makes a job in a step",
        ),
        (
            natural("steal", &[]),
            "steal",
            None,
            "there is nothing in the list",
        ),
        (
            natural("lambda", &[0.5.into(), 1.5.into()]),
            "lambda",
            Some(1),
            "1.5: a probability is between 0 and 1",
        ),
        (
            natural("lambda", &["half".into()]),
            "lambda",
            Some(0),
            "'\"half\"' is not a number",
        ),
        (
            natural("lambda", &[0.5.into(), 0.5.into()]),
            "lambda",
            Some(1),
            "0.5 is there twice",
        ),
        (
            natural("processors", &[0.into()]),
            "processors",
            Some(0),
            "'0' is not a whole number from 1 to 2147483647",
        ),
        (
            natural("processors", &[Value::Whole(-3)]),
            "processors",
            Some(0),
            "'-3' is not a whole number from 1 to",
        ),
        (
            natural("processors", &[1.5.into()]),
            "processors",
            Some(0),
            "'1.5' is not a whole number from 1 to",
        ),
        (
            natural("steal", &["haf".into()]),
            "steal",
            Some(0),
            "unknown steal function 'haf': use",
        ),
        (
            natural("steal", &[2.into()]),
            "steal",
            Some(0),
            "'2' is not a name: write it in quotes",
        ),
        (
            natural("warmup", &[20.into(), 200.into()]),
            "steps",
            Some(0),
            "200 steps leave nothing after a warmup of 200: use more steps, such as 400",
        ),
        (
            natural("generators", &["k:5".into()]),
            "generators",
            Some(0),
            "k:5",
        ),
        (
            Description {
                replications: Some(2000),
                ..natural("processors", &huge)
            },
            "grid",
            None,
            "its points times the replications are more than 10000000 rows",
        ),
        (
            dispatch(&[
                ("policy", &["pi".into()]),
                ("load", &[0.5.into(), 1.0.into()]),
            ]),
            "load",
            Some(1),
            "1: a load is below 1, or queues grow for ever: if that is meant, say allow_overload = true",
        ),
        (
            dispatch(&[("policy", &["pi".into()]), ("load", &[0.0.into()])]),
            "load",
            Some(0),
            "0: a load is above 0",
        ),
        (
            dispatch(&[
                ("policy", &["pi".into()]),
                ("load", &[0.5.into()]),
                ("arrivals", &["poisson:3".into()]),
            ]),
            "arrivals",
            Some(0),
            "there is a load already",
        ),
        (
            dispatch(&[
                ("policy", &["pi".into()]),
                ("arrivals", &["trace:file".into()]),
            ]),
            "arrivals",
            Some(0),
            "trace:file: a sweep reads no traces",
        ),
        (
            dispatch(&[("policy", &["pi".into()]), ("servers", &["a=0@1".into()])]),
            "servers",
            Some(0),
            "'a=0@1': a farm needs at least one server",
        ),
        (
            dispatch(&[
                ("policy", &["jsq:7".into()]),
                ("servers", &["a=3@1".into()]),
            ]),
            "policy",
            Some(0),
            "policy 'jsq:7' needs at least 7 servers, but there are 3",
        ),
        (
            dispatch(&[("policy", &["pi".into()]), ("batches", &["both".into()])]),
            "batches",
            Some(0),
            "'both' is none of whole, split",
        ),
        (
            dispatch(&[
                ("policy", &["pi".into()]),
                ("slots", &[5.into()]),
                ("warmup", &[5.into()]),
            ]),
            "slots",
            Some(0),
            "5 slots leave nothing to count after a warmup of 5",
        ),
        (
            dispatch(&[
                ("policy", &["pi".into()]),
                ("allow_overload", &["yes".into()]),
            ]),
            "allow_overload",
            Some(0),
            "'\"yes\"' is not true or false",
        ),
        (
            described(
                "fleet",
                &[
                    ("servers", &[2.into()]),
                    ("policy", &["jsq:3".into()]),
                    ("lambda", &[0.5.into()]),
                ],
            ),
            "policy",
            Some(0),
            "jsq:3: ",
        ),
        (
            described(
                "fleet",
                &[
                    ("servers", &[2.into()]),
                    ("policy", &["pi".into()]),
                    ("lambda", &[11.into()]),
                ],
            ),
            "lambda",
            Some(0),
            "11 is more than ten times what a server can serve",
        ),
        (
            described(
                "fleet",
                &[
                    ("servers", &[2.into()]),
                    ("policy", &["pi".into()]),
                    ("lambda", &[0.5.into()]),
                    ("warmup", &[200.into()]),
                ],
            ),
            "time",
            Some(0),
            "a time of 200 leaves nothing after a warmup of 200",
        ),
        (
            described(
                "dag",
                &[
                    ("family", &["fib:5".into()]),
                    ("scheduler", &["greedy".into()]),
                    ("processors", &[2.into()]),
                    ("victim", &["uniform".into()]),
                ],
            ),
            "victim",
            Some(0),
            "it means nothing to the scheduler greedy: leave it out, or use stealing or vertex-stealing",
        ),
        (
            described("limit stealing", &[("lambda", &[1.into()])]),
            "lambda",
            Some(0),
            "'1' is not a number between 0 and 1, both excluded",
        ),
        (
            described(
                "limit stealing",
                &[("lambda", &[0.5.into()]), ("retries", &[0.0.into()])],
            ),
            "retries",
            Some(0),
            "'0' is not a positive number up to 1e12",
        ),
        (
            {
                let mut one = described("limit stealing", &[("lambda", &[0.5.into()])]);
                one.until = Some(0.01);
                one
            },
            "until",
            None,
            "nothing is random in the model limit stealing",
        ),
    ];
    for (description, field, value, begins) in cases {
        let refusal = Plan::new(&description).unwrap_err();
        assert_eq!(
            (&*refusal.field, refusal.value),
            (field, value),
            "{refusal}"
        );
        assert!(refusal.problem.starts_with(begins), "{refusal}");
        assert_eq!(refusal.to_string().lines().count(), 1);
    }
}

/// A run with a fleet's own study.
#[test]
fn rows_of_a_fleet_are_those_of_a_study() {
    let plan = plan(&described(
        "fleet",
        &[
            ("servers", &[5.into()]),
            ("lambda", &[0.7.into()]),
            ("policy", &["jsq:2".into()]),
            ("time", &[50.into()]),
        ],
    ));
    let study = FleetStudy {
        servers: 5,
        lambda: 0.7,
        dispatchers: 1,
        until: 50.0,
        warm_up: 25.0,
        replications: 3,
        seed: Seed::new(1),
    };
    let found = study
        .run(&"jsq:2".parse::<Spec>().unwrap(), &Silent)
        .unwrap();
    let rows = plan.complete(&[0], Vec::new(), &NotKept).unwrap();
    let times: Vec<f64> = rows
        .iter()
        .map(|row| number(&plan, row, "mean_time_in_system"))
        .collect();
    assert_eq!(found.time, Some(times.iter().sum::<f64>() / 3.0));
}
