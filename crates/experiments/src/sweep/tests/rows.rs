//! A row is what the experiment itself gives.

use super::*;

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
