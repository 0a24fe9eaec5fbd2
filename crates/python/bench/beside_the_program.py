"""Runs of about a second from Python, beside the same runs by the program ``filch``.

    FILCH_PROGRAM=target/py/release/filch python crates/python/bench/beside_the_program.py

The program is measured as a user meets it, with the start of its process; Python is measured
without its own start. The two take turns, and the least time of each counts.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable

import filch

ROUNDS = int(os.environ.get("ROUNDS", "5"))
CASES: dict[str, tuple[str, Callable[[], object]]] = {
    "natural": (
        "natural --processors=1000 --lambda=0.9 --steps=250000 --replications=4",
        lambda: filch.natural(processors=1000, lambda_=0.9, steps=250000, replications=4),
    ),
    "farm": (
        "dispatch --slots=1800000 --policy=pi,jsq:2",
        lambda: filch.farm(slots=1800000, policy="pi,jsq:2"),
    ),
    "fleet": (
        "fleet --servers=200 --lambda=0.9 --time=3000",
        lambda: filch.fleet(servers=200, lambda_=0.9, time=3000),
    ),
    "dag": (
        "dag run --family=fib:32 --scheduler=stealing --processors=16 --runs=8",
        lambda: filch.dag(family="fib:32", scheduler="stealing", processors=16, runs=8),
    ),
}


def seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def main() -> None:
    program = os.environ["FILCH_PROGRAM"]
    print("case,program_s,python_s,python_over_program")
    chosen = os.environ.get("CASES", ",".join(CASES)).split(",")
    for name, (words, call) in ((name, CASES[name]) for name in chosen):
        line = [program, *words.split(), "--json"]

        def by_program(line: list[str] = line) -> None:
            subprocess.run(line, check=True, stdout=subprocess.DEVNULL)

        rounds = [(seconds(by_program), seconds(call)) for _ in range(ROUNDS)]
        ours, theirs = min(python for _, python in rounds), min(one for one, _ in rounds)
        print(f"{name},{theirs:.3f},{ours:.3f},{ours / theirs:.3f}")


if __name__ == "__main__":
    main()
