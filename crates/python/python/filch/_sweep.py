"""Sweeps: a model on a grid of parameters, on all cores or on the workers of a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _html, _native
from ._frames import frame
from ._values import Values, constant

__all__ = ["SweepResult", "sweep"]

Row = tuple[int, int, list[Any]]

TASKS_PER_THREAD = 16
"""A task costs a cluster milliseconds, so there are not many more than balance the load."""


@dataclass(frozen=True, eq=False, repr=False)
class SweepResult:
    """The rows of a sweep, by point and then by replication."""

    plan: str
    """The sweep as a file in its canonical form: the same sweep has the same text."""
    columns: Mapping[str, NDArray[Any]]
    """The values of each column; a row without one has NaN, 0, False or the empty text."""
    present: Mapping[str, NDArray[np.bool_]]
    """Which rows have a value."""
    rows: tuple[Row, ...]
    """Points, replications and results, as they were made."""
    wide: int
    """How many points did not become as precise as ``until`` asks for."""

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.columns[column]

    def to_frame(self, backend: str | ModuleType | None = None) -> Any:
        """A data frame with a row for each replication of each point; no value is ``None``."""
        return frame({name: self._shown(name) for name in self.columns}, backend)

    def _shown(self, name: str) -> Any:
        values, present = self.columns[name], self.present[name]
        if present.all():
            return values
        if not present.any():
            return [None] * len(values)
        return [one if there else None for one, there in zip(values.tolist(), present, strict=True)]

    def files(self) -> dict[str, bytes]:
        """``rows.csv``, ``rows.parquet`` and ``manifest.json``, byte for byte as ``filch sweep``
        writes them."""
        return dict(_native.SweepPlan.of_canonical(self.plan).files(list(self.rows)))

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes the files into a folder."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for name, content in self.files().items():
            (place / name).write_bytes(content)

    def __repr__(self) -> str:
        points = len(np.unique(self["point"]))
        wide = f", {self.wide} not as precise as was asked for" if self.wide else ""
        return f"<SweepResult: {self['model'][0]}, {points} points, {len(self)} rows{wide}>"

    def _repr_html_(self) -> str:
        names = [name for name in self.columns if self.present[name].any()]
        shown = range(min(len(self), 8))
        rows = [[self.columns[name][at].item() for name in names] for at in shown]
        return _html.page(repr(self), _html.table(names, rows))


def sweep(
    plan: str | os.PathLike[str] | Mapping[str, Any],
    client: Any = None,
    *,
    seed: int | None = None,
    until: float | str | None = None,
    threads: int | None = None,
) -> SweepResult:
    """Run a model on a grid of parameters, as ``filch sweep`` does.

    ``plan`` is a sweep file, or the same as a mapping: ``model``, ``grid`` (a value, a list or a
    range ``{"from": 0.1, "to": 0.9, "step": 0.1}`` for each parameter) and perhaps ``replications``, ``until``, ``most_replications`` and ``seed``. The
    other keywords are the flags of the command.

    Without a ``client`` the runs are made on all cores of this machine. With a Dask ``Client`` the
    points are dealt out to tasks, up to sixteen for each thread of the cluster. Dask makes the
    tasks of a lost worker again on another. The result is the same, byte for byte, wherever the
    points were run.
    """
    if not (client is None or hasattr(client, "nthreads")):
        raise TypeError(f"client: pass a Client of dask.distributed, not {client!r}")
    checked = _plan(plan, seed=seed, until=until)
    points = list(range(checked.points))
    if client is None:
        rows = checked.complete(points, threads or 0)
    else:
        rows = _on_cluster(client, checked, points)
    columns = checked.columns(rows)
    rows.sort(key=lambda row: row[:2])
    return SweepResult(
        plan=checked.canonical(),
        columns=Values({name: constant(_array(values)) for name, values, _ in columns}),
        present=Values({name: constant(present) for name, _, present in columns}),
        rows=tuple(rows),
        wide=checked.wide(rows),
    )


def _plan(
    plan: str | os.PathLike[str] | Mapping[str, Any],
    *,
    seed: int | None,
    until: float | str | None,
) -> _native.SweepPlan:
    if not isinstance(plan, Mapping):
        words = ["sweep", os.fspath(plan)]
        words += [] if seed is None else [f"--seed={seed}"]
        words += [] if until is None else [f"--until={until}"]
        return _native.SweepPlan.read(words)
    known = {"model", "grid", "replications", "until", "most_replications", "seed"}
    for field in plan:
        if field not in known:
            raise ValueError(f"{field}: a sweep has no such field: use {', '.join(sorted(known))}")
    grid = plan.get("grid", {})
    if not isinstance(grid, Mapping):
        raise ValueError("grid: give each parameter a value, a list of values or a range")
    if "model" not in plan:
        raise ValueError("model: say what to run, as in {'model': 'natural'}")
    wanted = plan.get("until") if until is None else until
    return _native.SweepPlan(
        plan["model"],
        [(name, _listed(name, values)) for name, values in grid.items()],
        _whole("replications", plan.get("replications")),
        None if wanted is None else _share(wanted),
        _whole("most_replications", plan.get("most_replications")),
        _whole("seed", plan.get("seed") if seed is None else seed),
    )


def _whole(field: str, value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= value < 2**64:
        raise ValueError(f"{field}: it is a whole number from 0 to {2**64 - 1}")
    return int(value)


def _listed(name: str, values: Any) -> list[Any]:
    if isinstance(values, Mapping):
        if set(values) != {"from", "to", "step"}:
            form = "{'from': 0.1, 'to': 0.9, 'step': 0.1}"
            raise ValueError(f"{name}: write a range as {form}")
        ends = (values["from"], values["to"], values["step"])
        return _native.sweep_range(name, *ends)
    if isinstance(values, np.ndarray):
        return list(values.ravel().tolist())
    listed = isinstance(values, Iterable) and not isinstance(values, (str, bytes))
    return list(values) if listed else [values]


def _share(wanted: float | str) -> float:
    """``1%`` is 0.01."""
    if not isinstance(wanted, str):
        return float(wanted)
    try:
        percent = wanted.strip().removesuffix("%")
        return float(percent) / (100 if percent != wanted.strip() else 1)
    except ValueError:
        raise ValueError(f"until: {wanted!r} is no share: write 0.01 or '1%'") from None


def _array(values: Any) -> NDArray[Any]:
    """Texts come as the different ones and the number of each row's."""
    if isinstance(values, tuple):
        names, codes = values
        return np.array([*names, ""], dtype=np.str_)[codes]
    return np.asarray(values)


@lru_cache(maxsize=8)
def _known(canonical: str) -> _native.SweepPlan:
    return _native.SweepPlan.of_canonical(canonical)


def _points(canonical: str, points: list[int]) -> list[Row]:
    """A task: all rows of these points, on one thread, since Dask runs a task for each core."""
    return _known(canonical).complete(points, 1)


def _on_cluster(client: Any, plan: _native.SweepPlan, points: list[int]) -> list[Row]:
    canonical = plan.canonical()
    tasks = min(len(points), TASKS_PER_THREAD * max(1, sum(client.nthreads().values())))
    # Dealt out from the longest on: tasks take about the same time, and the longest come first.
    points = sorted(points, key=plan.weight, reverse=True)
    dealt = [points[number::tasks] for number in range(tasks)]
    futures = client.map(_points, [canonical] * tasks, dealt, pure=False, retries=3)
    try:
        gathered: list[list[Row]] = client.gather(futures)
    except BaseException:
        client.cancel(futures)
        raise
    return [row for rows in gathered for row in rows]
