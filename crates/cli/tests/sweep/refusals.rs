//! Wrong fields of a sweep file are named, with what is allowed.

use super::*;

/// Wrong fields: file, line, field, and what is allowed.
#[test]
fn wrong_fields_are_named() {
    let home = home(SMALL);
    let home = home.path();
    for (from, to, message) in [
        (
            "\"natural\"",
            "\"naturl\"",
            "line 1: model: unknown model 'naturl': use one of \"natural\", \"dispatch\", \"dag\", \"fleet\"",
        ),
        (
            "\"natural\"",
            "7",
            "line 1: model: it is the name of a model in quotes",
        ),
        (
            "replications = 2",
            "replications = 0",
            "line 2: replications: '0' is not a whole number from 1 to 1048576",
        ),
        (
            "replications = 2",
            "replications = \"2\"",
            "line 2: replications: it is a whole number above 0",
        ),
        (
            "replications = 2",
            "replicatoins = 2",
            "line 2: replicatoins: there is no such field: use model, seed, replications, until, most_replications, grid; did you mean 'replications'",
        ),
        (
            "replications = 2",
            "replications = 2\nuntil = \"x\"",
            "line 3: until: 'x' is not a share between 0 and 1",
        ),
        (
            "replications = 2",
            "replications = 2\nuntil = 3",
            "line 3: until: it is a share between 0 and 1, as \"1%\" or 0.01",
        ),
        (
            "replications = 2",
            "replications = 2\nmost_replications = 5",
            "line 3: most_replications: it means nothing without until",
        ),
        (
            "seed = 5",
            "seed = -5",
            "line 3: seed: it is a whole number from 0 to 18446744073709551615",
        ),
        (
            "[8, 16, 32]",
            "[8, 16, 0]",
            "line 6: grid.processors: '0' is not a whole number from 1 to 2147483647",
        ),
        (
            "[8, 16, 32]",
            "[\n8,\n16, 16]",
            "line 8: grid.processors: 16 is there twice: give each value once",
        ),
        (
            "[8, 16, 32]",
            "[]",
            "line 6: grid.processors: there is nothing in the list",
        ),
        (
            "[8, 16, 32]",
            "2024-01-01",
            "line 6: grid: processors: datetime is no value here",
        ),
        (
            "[8, 16, 32]",
            "{ from = 1, to = 5 }",
            "line 6: grid: processors: write a range as { from = 0.1, to = 0.9, step = 0.1 }",
        ),
        (
            "[8, 16, 32]",
            "{ from = 5, to = 1, step = 1 }",
            "line 6: grid: processors: it goes nowhere",
        ),
        (
            "[8, 16, 32]",
            "{ from = 1, to = 1e9, step = 1e-3 }",
            "line 6: grid: processors: it has more than 1e6 values",
        ),
        (
            "[0.4, 0.6]",
            "[0.4, 1.6]",
            "line 7: grid.lambda: 1.6: a probability is between 0 and 1",
        ),
        (
            "[0.4, 0.6]",
            "[0.4, inf]",
            "line 7: grid: lambda: inf is not a finite number",
        ),
        (
            "lambda",
            "lamda",
            "line 7: grid.lamda: the model natural has no such parameter: use processors, lambda, steal, generators, steps, warmup, cut; did you mean 'lambda'?",
        ),
        (
            "lambda = [0.4, 0.6]",
            "",
            "sweep: grid.lambda: say the probability with which a generator makes a job in a step",
        ),
        (
            "\"one\"",
            "\"hlaf\"",
            "line 8: grid.steal: unknown steal function 'hlaf'",
        ),
        (
            "steps = 300",
            "steps = 300\nwarmup = 300",
            "line 9: grid.steps: 300 steps leave nothing after a warmup of 300",
        ),
        ("[grid]", "[grid", "line 5: malformed: "),
        (
            "[grid]",
            "grid = 3\n[gird]",
            "line 5: grid: it is a table: write [grid]",
        ),
    ] {
        assert!(SMALL.contains(from), "{from}");
        fs::write(home.join("sweep"), SMALL.replace(from, to)).unwrap();
        let lines = refused(home, &["sweep", "sweep"]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        let message = message.strip_prefix("sweep: ").map_or_else(
            || format!("filch: sweep, {message}"),
            |rest| format!("filch: sweep: {rest}"),
        );
        assert!(lines[0].starts_with(&message), "{}\n{message}", lines[0]);
        assert!(!home.join("filch-sweep").exists());
    }
    for (text, message) in [
        ("", "the sweep file 'sweep' is empty"),
        ("[grid]\n", "sweep, line 1: model: say what to run"),
    ] {
        fs::write(home.join("sweep"), text).unwrap();
        let lines = refused(home, &["sweep", "sweep"]);
        assert!(lines[0].contains(message), "{lines:?}");
    }
    for (arguments, message) in [
        (
            &["sweep", "nowhere.toml"][..],
            "cannot read the sweep file 'nowhere.toml'",
        ),
        (
            &["sweep", "sweep.toml", "--shard", "5/4"],
            "--shard: '5/4' is not K/N with K from 1 to N",
        ),
        (
            &["sweep", "sweep.toml", "--until", "200%"],
            "--until: '200%' is not a share between 0 and 1",
        ),
    ] {
        let lines = refused(home, arguments);
        assert!(lines.len() == 1 && lines[0].contains(message), "{lines:?}");
    }
}

/// A field of a sweep file is refused in the words of the flag of the same name.
#[test]
fn refusals_are_those_of_the_flags() {
    let home = home(SMALL);
    let home = home.path();
    let natural = ("natural", "natural", &["processors=8", "lambda=0.5"][..]);
    let dispatch = ("dispatch", "dispatch", &["policy=pi"][..]);
    let fleet = ("fleet", "fleet", &["servers=2", "lambda=0.5"][..]);
    let dag = (
        "dag run",
        "dag",
        &["family=fib:5", "scheduler=greedy", "processors=2"][..],
    );
    let limit = ("limit stealing", "limit stealing", &["lambda=0.5"][..]);
    let toml = |field: &str, value: &str| match value.parse::<f64>() {
        Ok(_) => format!("{field} = {value}\n"),
        Err(_) => format!("{field} = \"{value}\"\n"),
    };
    for ((command, model, others), field, value) in [
        (natural, "processors", "0"),
        (natural, "lambda", "1.5"),
        (natural, "steal", "hlaf"),
        (natural, "generators", "onne"),
        (natural, "generators", "k:0"),
        (natural, "steps", "0"),
        (natural, "cut", "0"),
        (dispatch, "servers", "a=x@1"),
        (dispatch, "load", "0"),
        (dispatch, "policy", "jqs"),
        (dispatch, "slots", "0"),
        (fleet, "servers", "0"),
        (fleet, "lambda", "0"),
        (fleet, "dispatchers", "1001"),
        (fleet, "time", "0"),
        (dag, "family", "fbi:3"),
        (dag, "processors", "0"),
        (limit, "lambda", "1"),
        (limit, "threshold", "1"),
        (limit, "attempts", "101"),
        (limit, "retries", "0"),
    ] {
        let others = others.iter().filter_map(|one| one.split_once('='));
        let others: Vec<(&str, &str)> = others.filter(|(name, _)| *name != field).collect();
        // `fleet` and `dispatch` have policies of their own; in a sweep they are given.
        let typed = others.iter().filter(|(name, _)| *name != "policy");
        let typed = typed.map(|(name, value)| format!("--{name}={value}"));
        let typed: Vec<String> = typed.chain([format!("--{field}={value}")]).collect();
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.extend(typed.iter().map(String::as_str));
        let typed = refused(home, &arguments).remove(0);
        let policy = [("policy", "pi")].into_iter().filter(|_| model == "fleet");
        let fields = others.iter().copied().chain(policy);
        let fields: String = fields.map(|(name, value)| toml(name, value)).collect();
        let wrong = toml(field, value);
        let sweep = format!("model = \"{model}\"\n[grid]\n{wrong}{fields}");
        fs::write(home.join("sweep"), sweep).unwrap();
        let written = refused(home, &["sweep", "sweep"]).remove(0);
        let sentence = |line: &str, before: &str| {
            let (_, sentence) = line
                .split_once(before)
                .unwrap_or_else(|| panic!("{field}: {line}"));
            sentence.to_owned()
        };
        assert_eq!(
            sentence(&typed, &format!("--{field}: ")),
            sentence(&written, &format!("grid.{field}: "))
        );
    }
}
