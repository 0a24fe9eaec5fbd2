//! Small programs, for what no published program shows alone.

mod blocking;
mod pools;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use obvhs::BvhBuildParams;
use obvhs::bvh2::builder::build_bvh2_from_tris;
use obvhs::test_util::geometry::demoscene;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("bvh") => bvh(),
        Some("first-pool") => pools::first(),
        Some("pools") => pools::many(),
        Some("bridge") => blocking::bridge(),
        Some("join") => blocking::join(),
        Some("scope") => blocking::scope(),
        _ => {
            eprintln!("use bench/programs/run");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Builds trees of boxes over a scene of triangles, some times over.
fn bvh() {
    let triangles = demoscene(200, 0);
    for _ in 0..4 {
        let parameters = BvhBuildParams::medium_build();
        let tree = build_bvh2_from_tris(&triangles, parameters, &mut Duration::default());
        black_box(tree);
    }
}
