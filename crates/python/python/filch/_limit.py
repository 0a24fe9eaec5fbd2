"""What a process comes to with very many processors (``filch limit``)."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _html, _native
from ._frames import frame
from ._values import Values, constant, parsed
from ._words import words

__all__ = ["LimitResult", "limit"]


@dataclass(frozen=True, eq=False, repr=False)
class LimitResult:
    """The limit of a process as the number of processors grows."""

    model: str
    mean_load_per_processor: float
    error: float
    """How far the mean, and each tail, may be off."""
    mean_time_in_system: float
    tails: NDArray[np.float64]
    """The share of processors with i jobs or more, i from 0."""
    answer: Values
    """All that ``filch limit --json`` prints."""

    def to_frame(self, backend: str | ModuleType | None = None) -> Any:
        """A data frame of the tails."""
        return frame({"jobs": np.arange(len(self.tails)), "share": self.tails}, backend)

    def __repr__(self) -> str:
        return f"<LimitResult: {self.model}, mean load {self.mean_load_per_processor:.6g}>"

    def _repr_html_(self) -> str:
        rows = [
            ("mean load for each processor", self.mean_load_per_processor),
            ("off by at most", self.error),
            ("mean time in the system", self.mean_time_in_system),
        ]
        jobs = np.arange(len(self.tails))
        curve = _html.Curve("share with so many jobs or more", jobs, self.tails)
        drawn = _html.plot([curve], "jobs", "share")
        return _html.page(self.model, _html.table(("", ""), rows), drawn)


def limit(
    model: str,
    *,
    lambda_: float,
    steal: str | None = None,
    threshold: int | None = None,
    attempts: int | None = None,
    retries: float | None = None,
    choices: int | None = None,
    memory: bool = False,
) -> LimitResult:
    """What ``natural``, ``stealing`` or ``supermarket`` comes to, as ``filch limit`` says.

    The keywords are the flags of the model: ``steal`` of ``natural``; ``steal``, ``threshold``,
    ``attempts`` and ``retries`` of ``stealing``; ``choices`` and ``memory`` of ``supermarket``.
    """
    given = dict(locals())
    del given["model"]
    answer = parsed(_native.limit(words(["limit", model], limit, given)))
    return LimitResult(
        model=answer["model"],
        mean_load_per_processor=answer["mean_load_per_processor"],
        error=answer["error"],
        mean_time_in_system=answer["mean_time_in_system"],
        tails=constant(np.array(answer["tails"])),
        answer=answer,
    )
