//! Computations in files.

use std::collections::HashMap;
use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use super::builder::DagBuilder;
use super::error::DagError;
use super::explicit::Dag;

/// How a file calls its own form.
pub const FORMAT: &str = "filch-dag-1";

/// The file, as serde sees it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a computation in braces")]
struct File {
    format: String,
    threads: Vec<FileThread>,
    #[serde(default)]
    spawns: Vec<[String; 2]>,
    #[serde(default)]
    joins: Vec<[String; 2]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a thread in braces")]
struct FileThread {
    name: String,
    #[serde(default = "one", deserialize_with = "size")]
    frame: u64,
    instructions: Vec<String>,
}

fn one() -> u64 {
    1
}

/// A number of 64 bits, which an error calls a size.
fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    struct Size;
    impl Visitor<'_> for Size {
        type Value = u64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number from 0")
        }

        fn visit_u64<E: de::Error>(self, number: u64) -> Result<u64, E> {
            Ok(number)
        }
    }
    deserializer.deserialize_u64(Size)
}

impl Dag {
    /// Reads a computation from JSON.
    ///
    /// Threads have a name, a frame size (1 if nothing is said) and their instructions in order;
    /// the root is the thread that is not spawned. A spawn edge is a pair of an instruction and a
    /// thread, a join edge a pair of two instructions, the one that is waited for first. Names of
    /// threads are unique, and so are names of instructions.
    ///
    /// ```
    /// use filch_workload::dag::Dag;
    ///
    /// let dag = Dag::from_json(r#"{
    ///     "format": "filch-dag-1",
    ///     "threads": [
    ///         { "name": "root", "frame": 2, "instructions": ["fork", "work", "sum"] },
    ///         { "name": "child", "instructions": ["leaf"] }
    ///     ],
    ///     "spawns": [["fork", "child"]],
    ///     "joins": [["leaf", "sum"]]
    /// }"#)?;
    /// assert_eq!(dag.measures().stack_depth, 3);
    /// assert_eq!(Dag::from_json(&dag.to_json())?, dag);
    /// # Ok::<(), filch_workload::dag::DagError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, DagError> {
        let file: File =
            serde_json::from_str(text).map_err(|error| DagError::File(error.to_string()))?;
        if file.format != FORMAT {
            return Err(DagError::File(format!(
                "the format is '{}': this version reads \"format\": \"{FORMAT}\"",
                file.format.escape_debug()
            )));
        }
        let mut dag = DagBuilder::new();
        let (mut threads, mut instructions) = (HashMap::new(), HashMap::new());
        for thread in &file.threads {
            let added = dag.thread(&*thread.name, thread.frame);
            threads.insert(&*thread.name, added);
            for name in &thread.instructions {
                instructions.insert(&**name, dag.instruction(added, &**name));
            }
        }
        let unknown = |name: &str| DagError::Unknown(format!("'{}'", name.escape_debug()));
        let instruction = |name: &str| instructions.get(name).copied().ok_or_else(|| unknown(name));
        for [from, child] in &file.spawns {
            let child = threads
                .get(&**child)
                .copied()
                .ok_or_else(|| unknown(child))?;
            dag.spawn(instruction(from)?, child);
        }
        for [from, to] in &file.joins {
            dag.join(instruction(from)?, instruction(to)?);
        }
        dag.build()
    }

    /// Writes this computation as JSON that [`from_json`](Self::from_json) reads.
    pub fn to_json(&self) -> String {
        let name = |at: usize| self.name_of(at).to_owned();
        let threads = (0..self.threads()).map(|thread| FileThread {
            name: self.thread_name_of(thread).to_owned(),
            frame: self.frame_of(thread),
            instructions: self.instructions_of(thread).map(name).collect(),
        });
        let spawn = |at: usize| {
            let child = self.spawned_by(at)?;
            Some([name(at), self.thread_name_of(child).to_owned()])
        };
        let joins = |at: usize| {
            self.joins_from(at)
                .iter()
                .map(move |&to| [name(at), name(to)])
        };
        let file = File {
            format: FORMAT.to_owned(),
            threads: threads.collect(),
            spawns: self.instructions().filter_map(spawn).collect(),
            joins: self.instructions().flat_map(joins).collect(),
        };
        let mut text = serde_json::to_string_pretty(&file).expect("plain data");
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::Family;
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for name in ["figure1", "fib:7", "loop:5:2", "random:50:3", "strict:50:3"] {
            let dag = name.parse::<Family>().unwrap().dag();
            assert_eq!(Dag::from_json(&dag.to_json()).unwrap(), dag, "{name}");
        }
    }

    fn refused(text: &str) -> String {
        Dag::from_json(text).unwrap_err().to_string()
    }

    /// What is expected is said in words, not in the names of types.
    #[test]
    fn wrong_kinds_of_values_are_explained() {
        let thread = |thread: &str| {
            refused(&format!(
                r#"{{"format":"filch-dag-1","threads":[{thread}]}}"#
            ))
        };
        for (message, words) in [
            (
                refused("7"),
                "invalid type: integer `7`, expected a computation in braces",
            ),
            (
                thread("7"),
                "invalid type: integer `7`, expected a thread in braces",
            ),
            (
                thread(r#"{"name":"a","frame":-1,"instructions":[]}"#),
                "invalid type: integer `-1`, expected a whole number from 0",
            ),
        ] {
            assert!(message.starts_with(words), "{message}");
        }
    }

    #[test]
    fn ill_formed_files_are_explained() {
        assert!(refused("{").starts_with("EOF while parsing"));
        assert!(refused(r#"{"format":"filch-dag-1"}"#).starts_with("missing field `threads`"));
        assert!(
            refused(r#"{"format":"filch-dag-1","threads":[],"joints":[]}"#)
                .starts_with("unknown field `joints`")
        );
        assert_eq!(
            refused(r#"{"format":"x\ny","threads":[]}"#),
            r#"the format is 'x\ny': this version reads "format": "filch-dag-1""#
        );
        assert_eq!(
            refused(r#"{"format":"filch-dag-1","threads":[]}"#),
            "there is no thread: give at least the root"
        );
        let one = |rest: &str| {
            refused(&format!(
                r#"{{"format":"filch-dag-1","threads":[{{"name":"a","instructions":["v"]}}]{rest}}}"#
            ))
        };
        assert_eq!(
            one(r#","joins":[["v","w"]]"#),
            "an edge names 'w', which is not there"
        );
        assert_eq!(
            one(r#","spawns":[["v","b"]]"#),
            "an edge names 'b', which is not there"
        );
    }
}
