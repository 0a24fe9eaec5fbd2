//! Points, defaults, the canonical form.

use super::*;

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
