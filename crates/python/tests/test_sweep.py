"""Sweeps: the same bytes as the program, here and on a Dask cluster that loses a worker."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import filch
import numpy as np
import pytest

PLAN = {
    "model": "natural",
    "grid": {"processors": [4, 8], "lambda": [0.5, 0.9], "steps": 200, "steal": ["half", "one"]},
    "replications": 3,
    "seed": 7,
}
FILE = """
model = "natural"
replications = 3
seed = 7

[grid]
processors = [4, 8]
lambda = [0.5, 0.9]
steps = 200
steal = ["half", "one"]
"""
FILES = ("rows.csv", "rows.parquet", "manifest.json")


def test_rows_are_those_of_the_runs():
    result = filch.sweep(PLAN)
    assert len(result) == 2 * 2 * 2 * 3
    assert (np.diff(result["point"].astype(int)) >= 0).all()
    chosen = (result["processors"] == 8) & (result["lambda"] == 0.9) & (result["steal"] == "half")
    runs = filch.natural(processors=8, lambda_=0.9, steps=200, replications=3, seed=7)
    found = result["mean_load"][chosen]
    assert found.mean() == pytest.approx(runs.mean_load)
    assert "mean_load" in result._repr_html_()


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_a_sweep_as_a_frame(backend):
    result = filch.sweep(PLAN)
    frame = result.to_frame(backend)
    assert len(frame) == len(result)
    assert list(frame["steal"])[:6] == ["half"] * 3 + ["one"] * 3


def test_the_files_are_those_of_the_program(filch_program, tmp_path):
    file, out = tmp_path / "sweep.toml", tmp_path / "program"
    file.write_text(FILE)
    done = filch_program.run("sweep", str(file), "--out", str(out))
    assert done.returncode == 0, done.stderr
    for plan in (PLAN, file, str(file)):
        for threads in (1, 2):
            files = filch.sweep(plan, threads=threads).files()
            assert set(files) == set(FILES)
            for name in FILES:
                assert files[name] == (out / name).read_bytes(), name
    filch.sweep(PLAN).write(tmp_path / "python")
    for name in FILES:
        assert (tmp_path / "python" / name).read_bytes() == (out / name).read_bytes()
    columns = {line.split(",")[0] for line in (out / "rows.csv").read_text().splitlines()}
    assert len(columns) > 1


def test_parquet_can_be_read(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    result = filch.sweep(PLAN)
    result.write(tmp_path)
    table = parquet.read_table(tmp_path / "rows.parquet").to_pydict()
    assert list(table) == list(result.columns)
    assert table["mean_load"] == result["mean_load"].tolist()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": "nature"}, "model: "),
        ({"replications": 0}, "replications: "),
        ({"grid": {"processors": 4}}, "lambda: "),
        ({"grid": {**PLAN["grid"], "speed": 1}}, "speed: the model natural has no such parameter"),
        ({"grid": {**PLAN["grid"], "steal": "hlaf"}}, "steal: "),
        ({"grid": {**PLAN["grid"], "lambda": []}}, "lambda: there is nothing in the list"),
        ({"replicas": 3}, "replicas: a sweep has no such field"),
        ({"until": "much"}, "until: 'much' is no share"),
        ({"seed": -1}, "seed: it is a whole number"),
        ({"replications": "x"}, "replications: it is a whole number"),
        ({"most_replications": 1.5}, "most_replications: it is a whole number"),
        ({"grid": {**PLAN["grid"], "lambda": {"from": 1}}}, "lambda: write a range as"),
        (
            {"grid": {**PLAN["grid"], "lambda": {"from": 1, "to": 0, "step": 1}}},
            "lambda: it goes nowhere",
        ),
    ],
)
def test_a_wrong_field_is_named(change, sentence):
    with pytest.raises(ValueError, match="^" + sentence):
        filch.sweep({**PLAN, **change})


def test_a_sweep_needs_a_model_and_a_client():
    with pytest.raises(ValueError, match="^model: say what to run"):
        filch.sweep({})
    with pytest.raises(TypeError, match="^client: "):
        filch.sweep(PLAN, client="x")


def test_ranges_are_those_of_a_file(tmp_path):
    file = tmp_path / "sweep.toml"
    ranges = ["{ from = 0.1, to = 0.5, step = 0.1 }", "{ from = 4, to = 12, step = 4 }"]
    text = FILE.replace("[0.5, 0.9]", ranges[0]).replace("[4, 8]", ranges[1])
    file.write_text(text)
    grid = {
        **PLAN["grid"],
        "lambda": {"from": 0.1, "to": 0.5, "step": 0.1},
        "processors": {"from": 4, "to": 12, "step": 4},
    }
    result = filch.sweep({**PLAN, "grid": grid})
    assert sorted(set(result["processors"].tolist())) == [4, 8, 12]
    assert result.files() == filch.sweep(file).files()


def test_points_that_are_not_precise_are_counted():
    plan = {**PLAN, "until": 0.0001, "most_replications": 4}
    result = filch.sweep(plan)
    assert result.wide == 8
    assert "8 not as precise as was asked for" in repr(result)
    assert filch.sweep(PLAN).wide == 0


def test_an_interrupted_sweep_begins_no_further_run():
    plan = {
        "model": "natural",
        "grid": {"processors": 100, "lambda": 0.9, "steps": 2000},
        "replications": 1_000_000,
    }
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        filch.sweep(plan)
    names = Path("/proc/self/task")
    deadline = time.monotonic() + 20
    while names.exists() and any(_name(task) == "filch-0" for task in names.iterdir()):
        assert time.monotonic() < deadline, "runs go on in the background"
        time.sleep(0.05)


def _name(task: Path) -> str:
    try:
        return (task / "comm").read_text().strip()
    except OSError:
        return ""


def test_a_file_is_refused_in_the_words_of_the_program(filch_program, tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(FILE.replace("half", "hlaf"))
    with pytest.raises(ValueError, match="hlaf") as refused:
        filch.sweep(file)
    out = str(tmp_path / "out")
    assert str(refused.value) == filch_program.complaint("sweep", str(file), "--out", out)


def test_a_precision_adds_replications():
    plan = {**PLAN, "grid": {"processors": 4, "lambda": [0.5, 0.8], "steps": 500}}
    result = filch.sweep({**plan, "until": "10%"})
    assert len(result) > len(filch.sweep(plan))
    assert filch.sweep(plan, until=0.1).files() == result.files()


def test_a_dask_cluster_that_loses_a_worker_gives_the_same_bytes():
    distributed = pytest.importorskip("distributed")
    plan = {
        "model": "natural",
        "grid": {
            "processors": [50, 100],
            "lambda": list(np.linspace(0.5, 0.95, 20)),
            "steps": 3000,
        },
        "replications": 4,
    }
    here = filch.sweep(plan)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        victim = next(iter(client.run(os.getpid).values()))
        watched = Watched(client, victim)
        there = filch.sweep(plan, client=watched)
        watched.killer.join()
    assert 0 < watched.undone < 40, "the worker was killed in the middle"
    assert there.files() == here.files()


class Watched:
    """A client that kills a worker once a few of its tasks are done."""

    def __init__(self, client: Any, victim: int) -> None:
        self.client, self.victim, self.undone = client, victim, 0

    def map(self, *args: Any, **keywords: Any) -> Any:
        self.futures = self.client.map(*args, **keywords)
        self.killer = threading.Thread(target=self.kill)
        self.killer.start()
        return self.futures

    def kill(self) -> None:
        while sum(future.done() for future in self.futures) < 5:
            time.sleep(0.005)
        os.kill(self.victim, signal.SIGKILL)
        self.undone = sum(not future.done() for future in self.futures)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)
