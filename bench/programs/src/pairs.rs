//! Alternating pairs of runs.

use std::io;
use std::process::ExitCode;

use crate::csv;
use crate::measure::{Cost, cost};
use crate::programs::{ProgramRow, ROWS, link};

/// Compares the programs in `folder/upstream/bin` and `folder/ours/bin`, and prints a table.
pub(crate) fn compare(folder: &str, data: &str, rounds: usize, wanted: &[&str]) -> ExitCode {
    match table(folder, data, rounds, wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the programs could not be compared: {error}");
            ExitCode::FAILURE
        }
    }
}

fn table(folder: &str, data: &str, rounds: usize, wanted: &[&str]) -> io::Result<()> {
    link(data)?;
    println!(
        "| program | threads | rayon-core, ms | ours, ms | as fast | between | processor time | switches | peak MiB |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let is_wanted =
        |row: &&ProgramRow| wanted.is_empty() || wanted.iter().any(|word| row.name.contains(word));
    for row in ROWS.iter().filter(is_wanted) {
        for threads in [1, 2, 8] {
            let pairs = pairs(folder, data, rounds, row, threads)?;
            if let Some(path) = std::env::var_os("CSV") {
                csv::append(path.as_ref(), row.name, threads, &pairs)?;
            }
            println!("{}", line(row, threads, &pairs));
        }
    }
    Ok(())
}

/// Two runs, one after the other.
pub(crate) struct Pair {
    pub(crate) ours: Cost,
    pub(crate) upstream: Cost,
}

fn pairs(
    folder: &str,
    data: &str,
    rounds: usize,
    row: &ProgramRow,
    threads: usize,
) -> io::Result<Vec<Pair>> {
    let run = |core: &str, round| {
        let program = format!("{folder}/{core}/bin/{}", row.binary);
        cost(&program, &row.arguments_for(data, round), threads)
    };
    // What the first run reads from the disk, later ones have in memory.
    run("upstream", 0)?;
    let pair = |round| {
        Ok(if round % 2 == 0 {
            let ours = run("ours", round)?;
            let upstream = run("upstream", round)?;
            Pair { ours, upstream }
        } else {
            let upstream = run("upstream", round)?;
            let ours = run("ours", round)?;
            Pair { ours, upstream }
        })
    };
    (0..rounds).map(pair).collect()
}

/// Medians; the ratios are those of pairs, with the quarter points of the first.
fn line(row: &ProgramRow, threads: usize, pairs: &[Pair]) -> String {
    let ratios = sorted(pairs, |pair| pair.upstream.wall / pair.ours.wall);
    let (low, high) = (
        ratios[ratios.len() / 4],
        ratios[ratios.len() - 1 - ratios.len() / 4],
    );
    let of = |what: fn(&Cost) -> f64| {
        let upstream = median(pairs, |pair| what(&pair.upstream));
        (upstream, median(pairs, |pair| what(&pair.ours)))
    };
    let (wall, switches, memory) = (of(|c| c.wall), of(|c| c.switches), of(|c| c.memory));
    let processor = median(pairs, |pair| pair.ours.processor / pair.upstream.processor);
    format!(
        "| {} | {threads} | {:.1} | {:.1} | {:.3} × | {low:.2}–{high:.2} | {processor:.3} × | {:.0} → {:.0} | {:.0} → {:.0} |",
        row.name,
        wall.0 * 1e3,
        wall.1 * 1e3,
        ratios[ratios.len() / 2],
        switches.0,
        switches.1,
        memory.0,
        memory.1,
    )
}

fn median(pairs: &[Pair], of: impl Fn(&Pair) -> f64) -> f64 {
    sorted(pairs, of)[pairs.len() / 2]
}

fn sorted(pairs: &[Pair], of: impl Fn(&Pair) -> f64) -> Vec<f64> {
    let mut numbers: Vec<f64> = pairs.iter().map(of).collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers
}
