//! Wrong fields.

use super::*;

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
