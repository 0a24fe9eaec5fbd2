"""Computations on simulated processors (``filch dag``)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _html, _native
from ._frames import frame
from ._values import Values, constant, parsed
from ._words import words

__all__ = ["DagResult", "Measures", "dag", "measure"]


@dataclass(frozen=True)
class Measures:
    """A computation in numbers."""

    computation: str
    threads: int
    instructions: int
    work: int
    """T1."""
    span: int
    """Tinf, the instructions on a longest path."""
    stack_depth: int
    """S1, the space of one processor."""
    strict: bool
    fully_strict: bool
    join_distance: int | None
    """k, if the computation is k-strict."""
    nd: int
    parallelism: float
    """T1/Tinf."""
    largest_frame: int
    most_edges_out: int


@dataclass(frozen=True, eq=False, repr=False)
class DagResult:
    """What the runs of a computation on P processors show."""

    computation: str
    scheduler: str
    processors: int
    measures: Measures
    mean_time: float
    """T_P, the mean number of steps."""
    least_constant: float
    """The least c with time ≤ T1/P + c·Tinf in all runs."""
    peak_space: int
    bounds: Values
    """What the theorems promise."""
    runs: Mapping[str, NDArray[np.uint64]]
    """A number for each run: time, work, steal, wait, idle, steals, peak_space, communication."""
    answer: Values
    """All that ``filch dag run --json`` prints."""

    @property
    def speedup(self) -> float:
        """T1 over the mean T_P."""
        return self.measures.work / self.mean_time

    def to_frame(self, backend: str | ModuleType | None = None) -> Any:
        """A data frame with a row for each run."""
        return frame(self.runs, backend)

    def __repr__(self) -> str:
        return (
            f"<DagResult: {self.computation} on {self.processors} processors by "
            f"{self.scheduler}, {self.mean_time:.6g} steps>"
        )

    def _repr_html_(self) -> str:
        of = self.measures
        title = f"{self.computation} on {self.processors} processors by {self.scheduler}"
        rows = [
            ("work T1", of.work),
            ("span Tinf", of.span),
            ("parallelism T1/Tinf", of.parallelism),
            ("mean time", self.mean_time),
            ("speed-up", self.speedup),
            ("least c: time ≤ T1/P + c·Tinf", self.least_constant),
            ("peak space", self.peak_space),
        ]
        times = np.sort(self.runs["time"])
        shares = np.arange(1, len(times) + 1) / len(times)
        drawn = _html.plot([_html.Curve("time", times, shares)], "steps", "share of runs")
        return _html.page(title, _html.table(("", ""), rows), drawn if len(times) > 1 else "")


def dag(
    *,
    scheduler: str,
    processors: int,
    family: str | None = None,
    file: str | os.PathLike[str] | None = None,
    order: str | None = None,
    adversary: str | None = None,
    next: str | None = None,
    pop_top: str | None = None,
    victim: str | None = None,
    runs: int = 1,
    check: bool = False,
    threads: int | None = None,
    seed: int = 1,
) -> DagResult:
    """Run a computation on simulated processors, as ``filch dag run`` does.

    The keywords are the flags of the command; one of ``family`` and ``file`` is needed.
    """
    line = words(["dag", "run"], dag, dict(locals()))
    text, measures, columns = _native.dag(line)
    answer = parsed(text)
    return DagResult(
        computation=answer["computation"],
        scheduler=answer["scheduler"],
        processors=answer["processors"],
        measures=Measures(**parsed(measures)),
        mean_time=answer["time"]["mean"],
        least_constant=answer["least_constant"],
        peak_space=answer["peak_space"],
        bounds=answer["bounds"],
        runs=Values({name: constant(values) for name, values in columns}),
        answer=answer,
    )


def measure(
    *, family: str | None = None, file: str | os.PathLike[str] | None = None
) -> Measures:
    """Work, span, stack depth and the kind of a computation, as ``filch dag measure`` says."""
    return Measures(**parsed(_native.measure(words(["dag", "measure"], measure, dict(locals())))))
