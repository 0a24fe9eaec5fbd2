"""Steal functions of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["OwnSteal", "own_steal"]

TABLE = 1 << 16
"""A Python function is called once for each load below this, before the runs."""


@dataclass(frozen=True)
class OwnSteal:
    """A table, and what to ask for loads beyond it."""

    name: str
    table: list[int]
    beyond: Callable[[int], int] | None


def own_steal(
    steal: Callable[[int], int] | Sequence[int] | NDArray[Any],
    *,
    recover: int | None,
    limit: bool,
) -> OwnSteal:
    """The function as filch takes it, checked as far as it can be."""
    if recover is not None or limit:
        flag = "limit" if recover is None else "recover"
        raise ValueError(f"{flag}: needs a steal function that has a name, such as steal='half'")
    if callable(steal):
        name = getattr(steal, "__name__", "own")
        return OwnSteal(name, checked([steal(load) for load in range(TABLE)]), steal)
    return OwnSteal("table", checked(list(np.asarray(steal).ravel().tolist())), None)


def checked(table: list[Any]) -> list[int]:
    """The table, whose values are numbers of jobs that do not decrease."""
    if not table:
        raise ValueError("steal: the table is empty: begin with f(0) = 0")
    before = 0
    for load, jobs in enumerate(table):
        if isinstance(jobs, bool) or not hasattr(jobs, "__index__"):
            raise TypeError(f"steal: f({load}) = {jobs!r} is no number of jobs")
        if jobs < before:
            least = f"f({load - 1}) = {before}" if before else "0"
            raise ValueError(
                f"steal: f({load}) = {jobs} is less than {least}: a steal function does not "
                "decrease as the load grows"
            )
        before = int(jobs)
    return [int(jobs) for jobs in table]
