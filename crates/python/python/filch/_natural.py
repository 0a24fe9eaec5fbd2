"""The natural work-stealing process (``filch natural``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _html, _native
from ._frames import frame
from ._steal import own_steal
from ._values import Interval, Values, constant, interval, parsed
from ._words import words

__all__ = ["NaturalResult", "natural"]


@dataclass(frozen=True, eq=False, repr=False)
class NaturalResult:
    """What the runs of the process show."""

    steal: str
    """The steal function."""
    verdict: str
    """``stable``, ``unstable`` or ``undecided``."""
    mean_load: float | None
    """The mean of the system load, the sum of all queues."""
    ci95: Interval | None
    """Its 95 % interval."""
    load_quantiles: tuple[tuple[float, int], ...]
    """Shares, and the loads that so many steps do not exceed, to one part in 1024."""
    bounds: Values | None
    """What the theorems promise; none for a steal function of one's own."""
    trajectories: tuple[NDArray[np.float64], ...]
    """The load over time in each run: means over ``steps_per_point`` steps."""
    steps_per_point: tuple[int, ...]
    loads: NDArray[np.uint64]
    """The loads after the warm-up, ascending, to one part in 1024."""
    load_steps: NDArray[np.uint64]
    """In how many steps of all runs the load was so large."""
    answer: Values
    """All that ``filch natural --json`` prints."""

    def to_frame(self, kind: str = "trajectories", backend: str | ModuleType | None = None) -> Any:
        """A data frame of the ``trajectories`` (replication, step, load) or the ``loads``."""
        if kind == "loads":
            return frame({"load": self.loads, "steps": self.load_steps}, backend)
        if kind != "trajectories":
            raise ValueError(f"kind: {kind!r} is none of trajectories, loads")
        lengths = [len(loads) for loads in self.trajectories]
        steps = [
            every * np.arange(1, length + 1)
            for every, length in zip(self.steps_per_point, lengths, strict=True)
        ]
        columns = {
            "replication": np.repeat(np.arange(len(lengths)), lengths),
            "step": np.concatenate(steps),
            "load": np.concatenate(self.trajectories),
        }
        return frame(columns, backend)

    def __repr__(self) -> str:
        ends = "" if self.ci95 is None else f" ({self.ci95.low:.4g} … {self.ci95.high:.4g})"
        load = "none" if self.mean_load is None else f"{self.mean_load:.4g}"
        return f"<NaturalResult: {self.verdict}, mean load {load}{ends}, steal {self.steal}>"

    def _repr_html_(self) -> str:
        asked = self.answer
        title = f"{asked['processors']} processors, λ = {asked['lambda']}, steal {self.steal}"
        rows = [
            ("verdict", self.verdict),
            ("mean system load", self.mean_load),
            ("95 %", self.ci95),
            ("longest queue", asked["max_queue"]),
            ("requests per step", asked["requests_per_step"]),
        ]
        curves = [
            _html.Curve(f"run {number}", every * np.arange(1.0, len(loads) + 1), loads)
            for number, (every, loads) in enumerate(
                zip(self.steps_per_point, self.trajectories, strict=True)
            )
        ]
        return _html.page(title, _html.table(("", ""), rows), _html.plot(curves, "step", "load"))


def natural(
    *,
    processors: int,
    lambda_: float,
    steal: str | Callable[[int], int] | Sequence[int] | NDArray[Any] = "half",
    generators: str = "one",
    c: float = 2,
    steps: int = 10000,
    warmup: int | None = None,
    replications: int = 8,
    recover: int | None = None,
    cut: int = 1000000000000,
    limit: bool = False,
    seed: int = 1,
    threads: int | None = None,
) -> NaturalResult:
    """Simulate the natural work-stealing process, as ``filch natural`` does.

    The keywords are the flags of the command. ``steal`` may also be a function of one's own:
    a table of f(0), f(1), …, whose last value holds for all larger loads, or a Python function,
    which is called once for each load below 65 536 and whenever a load is larger.
    """
    given = dict(locals())
    own = None if isinstance(steal, str) else own_steal(steal, recover=recover, limit=limit)
    if own is not None:
        del given["steal"]
    line = words(["natural"], natural, given)
    text, trajectories, (loads, load_steps) = _native.natural(
        line, None if own is None else (own.table, own.beyond)
    )
    answer = parsed(text)
    if own is not None:
        kept = {k: v for k, v in answer.items() if k not in ("bounds", "theorem22_unstable")}
        answer = Values({**kept, "steal": own.name})
    return NaturalResult(
        steal=answer["steal"],
        verdict=answer["verdict"],
        mean_load=answer["mean_load"],
        ci95=interval(answer["ci95"]),
        load_quantiles=tuple((one["share"], one["load"]) for one in answer["load_quantiles"]),
        bounds=answer.get("bounds"),
        trajectories=tuple(constant(loads) for _, loads in trajectories),
        steps_per_point=tuple(every for every, _ in trajectories),
        loads=constant(loads),
        load_steps=constant(load_steps),
        answer=answer,
    )
