//! Runs programs that were built with either rayon-core, in alternating pairs, and prints a table.

mod csv;
mod image;
mod measure;
mod pairs;
mod programs;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["measure", program, ref arguments @ ..] => measure::print(program, arguments),
        ["compare", folder, data, rounds, ref wanted @ ..] => match rounds.parse() {
            Ok(rounds) => pairs::compare(folder, data, rounds, wanted),
            Err(_) => usage(),
        },
        ["image", path] => match image::write(path) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("the image could not be written: {error}");
                ExitCode::FAILURE
            }
        },
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("use bench/programs/run");
    ExitCode::from(2)
}
