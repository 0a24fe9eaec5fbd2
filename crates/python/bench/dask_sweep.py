"""A sweep of 200 points on two worker processes of Dask, beside ``filch sweep`` on two threads.

    FILCH_PROGRAM=target/py/release/filch python crates/python/bench/dask_sweep.py

The cluster is there before the clock starts. The two take turns, and the least time of each counts.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

import distributed
import filch

ROUNDS = int(os.environ.get("ROUNDS", "3"))
FILE = """
model = "natural"
replications = 4

[grid]
processors = [100, 200]
lambda = { from = 0.5, to = 0.995, step = 0.005 }
steps = 10000
"""


def main() -> None:
    program = os.environ["FILCH_PROGRAM"]
    with (
        tempfile.TemporaryDirectory() as name,
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        # Workers import the package before the clock starts.
        client.run(lambda: __import__("filch") and None)
        folder = Path(name)
        file = folder / "sweep.toml"
        file.write_text(FILE)
        times = []
        for number in range(ROUNDS):
            out = folder / f"out-{number}"
            begun = time.perf_counter()
            line = [program, "sweep", str(file), "--out", str(out), "--threads", "2"]
            subprocess.run(line, check=True, capture_output=True)
            between = time.perf_counter()
            result = filch.sweep(file, client=client)
            files = result.files()
            times.append((between - begun, time.perf_counter() - between))
            for one, content in files.items():
                assert (out / one).read_bytes() == content, one
        theirs, ours = (min(of) for of in zip(*times, strict=True))
        print("points,program_s,dask_s,dask_over_program")
        points = len(set(result["point"].tolist()))
        print(f"{points},{theirs:.3f},{ours:.3f},{ours / theirs:.3f}")


if __name__ == "__main__":
    main()
