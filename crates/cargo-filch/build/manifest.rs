//! Manifests of the workspace's packages, as they are outside it.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The manifest of the workspace: what its members inherit.
pub(crate) struct Workspace {
    package: Table,
    dependencies: Table,
}

impl Workspace {
    pub(crate) fn read(path: &Path) -> Self {
        let mut root = read(path);
        let mut workspace = take(&mut root, "workspace");
        Self {
            package: take(&mut workspace, "package"),
            dependencies: take(&mut workspace, "dependencies"),
        }
    }
}

/// The manifest of a package that stands alone: nothing is inherited, and what only its own tests
/// and models need is left out.
pub(crate) struct Manifest {
    table: Table,
    needs: Vec<String>,
}

impl Manifest {
    /// Reads it and resolves what it inherits.
    pub(crate) fn read(path: &Path, workspace: &Workspace) -> Self {
        let mut source = read(path);
        let mut needs = Vec::new();
        let mut table = Table::new();
        let mut package = take(&mut source, "package");
        for (key, value) in &mut package {
            if inherits(value) {
                *value = workspace.package[key].clone();
            }
        }
        package.insert("publish".into(), false.into());
        // Without it cargo would look at everything in the folder that git knows.
        package.insert(
            "include".into(),
            Value::from(vec!["src/**", "build.rs", "README.md"]),
        );
        table.insert("package".into(), package.into());
        if let Some(features) = source.remove("features") {
            table.insert("features".into(), features);
        }
        let dependencies = take(&mut source, "dependencies");
        let dependencies = resolve(dependencies, workspace, &mut needs);
        table.insert("dependencies".into(), dependencies.into());

        let mut targets = Table::new();
        for (target, value) in take(&mut source, "target") {
            // The dependencies of models: cargo would put them into every program's lock file.
            if target == "cfg(loom)" || target == "cfg(shuttle)" {
                continue;
            }
            let Value::Table(mut value) = value else {
                continue;
            };
            let dependencies = take(&mut value, "dependencies");
            if !dependencies.is_empty() {
                let dependencies = resolve(dependencies, workspace, &mut needs);
                let mut of_target = Table::new();
                of_target.insert("dependencies".into(), dependencies.into());
                targets.insert(target, of_target.into());
            }
        }
        if !targets.is_empty() {
            table.insert("target".into(), targets.into());
        }
        if let Some(known) = source.get("lints").and_then(|lints| lints.get("rust"))
            && let Some(known) = known.get("unexpected_cfgs")
        {
            let rust = Table::from_iter([("unexpected_cfgs".to_owned(), known.clone())]);
            let lints = Table::from_iter([("rust".to_owned(), rust.into())]);
            table.insert("lints".into(), lints.into());
        }
        Self { table, needs }
    }

    /// The folders of the other packages that it needs.
    pub(crate) fn needs(&self) -> &[String] {
        &self.needs
    }

    pub(crate) fn version(&self) -> &str {
        self.table["package"]["version"]
            .as_str()
            .expect("a version is a string")
    }

    pub(crate) fn text(&self) -> String {
        toml::to_string(&self.table).expect("a manifest is a table of tables")
    }
}

/// Dependencies with what they inherit; those in the workspace are beside this package.
fn resolve(dependencies: Table, workspace: &Workspace, needs: &mut Vec<String>) -> Table {
    let mut resolved = Table::new();
    for (name, value) in dependencies {
        let mut value = detailed(value);
        if value.remove("workspace").is_some() {
            let mut base = detailed(workspace.dependencies[&name].clone());
            let features = [
                take_list(&mut base, "features"),
                take_list(&mut value, "features"),
            ];
            base.extend(value);
            let features = features.concat();
            if !features.is_empty() {
                base.insert("features".into(), features.into());
            }
            value = base;
        }
        if let Some(Value::String(path)) = value.get("path") {
            let path = PathBuf::from(path);
            let folder = path
                .file_name()
                .expect("a path to a package")
                .to_string_lossy();
            value.insert("path".into(), format!("../{folder}").into());
            needs.push(folder.into_owned());
        }
        resolved.insert(name, value.into());
    }
    resolved
}

fn inherits(value: &Value) -> bool {
    value
        .get("workspace")
        .is_some_and(|inherits| inherits.as_bool() == Some(true))
}

/// A dependency as a table, also where it is only a version.
fn detailed(value: Value) -> Table {
    match value {
        Value::Table(table) => table,
        version => Table::from_iter([("version".into(), version)]),
    }
}

fn take(table: &mut Table, key: &str) -> Table {
    match table.remove(key) {
        Some(Value::Table(inner)) => inner,
        _ => Table::new(),
    }
}

fn take_list(table: &mut Table, key: &str) -> Vec<Value> {
    match table.remove(key) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

fn read(path: &Path) -> Table {
    let text = fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    text.parse()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
