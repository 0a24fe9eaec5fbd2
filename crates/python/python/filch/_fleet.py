"""Equal servers in continuous time (``filch fleet``)."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _html, _native
from ._compared import Difference, compared, raised
from ._frames import frame
from ._policy import Policies, divided
from ._values import Interval, Values, constant, interval, parsed
from ._words import words

__all__ = ["FleetPolicy", "FleetResult", "fleet"]


@dataclass(frozen=True, eq=False, repr=False)
class FleetPolicy:
    """What the runs of one policy show. Times are in mean service times."""

    policy: str
    mean_time_in_system: float | None
    ci95: Interval | None
    """The 95 % interval of the mean."""
    share_that_waited: float | None
    stopped_runs: int
    """Runs that were stopped because the queues grew without bound."""
    limit: Values | None
    """What the policy comes to with very many servers, if there are equations for it."""
    times: NDArray[np.float64]
    """The mean time in each run; NaN if no request of it counts."""

    def __repr__(self) -> str:
        mean = self.mean_time_in_system
        return f"<{self.policy}: {'none' if mean is None else format(mean, '.4g')}>"


@dataclass(frozen=True, eq=False, repr=False)
class FleetResult:
    """What every policy came to, on the same arrivals and service times."""

    seed: int
    policies: tuple[FleetPolicy, ...]
    differences: tuple[Difference, ...]
    answer: Values
    """All that ``filch fleet --json`` prints."""

    def __getitem__(self, policy: str) -> FleetPolicy:
        for one in self.policies:
            if one.policy == policy:
                return one
        known = ", ".join(one.policy for one in self.policies)
        raise KeyError(f"{policy!r} is none of {known}")

    def difference(self, first: str, second: str) -> Difference | None:
        """Mean time of the first minus that of the second; none if a run was stopped."""
        return compared(self.differences, first, second)

    def to_frame(self, kind: str = "policies", backend: str | ModuleType | None = None) -> Any:
        """A data frame of ``policies``, ``runs`` or ``differences``."""
        all_ = self.policies
        if kind == "policies":
            columns: dict[str, Any] = {
                "policy": [one.policy for one in all_],
                "mean_time_in_system": [one.mean_time_in_system for one in all_],
                "low": [one.ci95 and one.ci95.low for one in all_],
                "high": [one.ci95 and one.ci95.high for one in all_],
                "share_that_waited": [one.share_that_waited for one in all_],
                "stopped_runs": [one.stopped_runs for one in all_],
                "limit": [one.limit and one.limit["mean_time_in_system"] for one in all_],
            }
        elif kind == "runs":
            columns = {
                "policy": [one.policy for one in all_ for _ in one.times],
                "run": [run for one in all_ for run in range(len(one.times))],
                "mean_time_in_system": np.concatenate([np.empty(0), *(one.times for one in all_)]),
            }
        elif kind == "differences":
            columns = {
                "first": [one.first for one in self.differences],
                "second": [one.second for one in self.differences],
                "difference": [one.difference for one in self.differences],
                "low": [one.ci95.low for one in self.differences],
                "high": [one.ci95.high for one in self.differences],
            }
        else:
            raise ValueError(f"kind: {kind!r} is none of policies, runs, differences")
        return frame(columns, backend)

    def __repr__(self) -> str:
        return f"<FleetResult: seed {self.seed}, {list(self.policies)}>"

    def _repr_html_(self) -> str:
        asked = self.answer
        title = f"{asked['servers']} servers, λ = {asked['lambda']}"
        heads = ("policy", "time in system", "95 %", "waited", "as n → ∞")
        rows = [
            (
                one.policy,
                one.mean_time_in_system,
                one.ci95,
                one.share_that_waited,
                one.limit and one.limit["mean_time_in_system"],
            )
            for one in self.policies
        ]
        curves = [
            _html.Curve(one.policy, np.arange(1.0, len(one.times) + 1), one.times)
            for one in self.policies
        ]
        drawn = _html.plot(curves, "run", "time in system")
        return _html.page(title, _html.table(heads, rows), drawn)


def fleet(
    *,
    servers: int,
    lambda_: float,
    policies: Policies = "random,jsq:2,jsq:1:1",
    dispatchers: int = 1,
    time: float = 200,
    warmup: float | None = None,
    replications: int = 8,
    threads: int | None = None,
    seed: int = 1,
) -> FleetResult:
    """Put dispatch policies in front of equal servers in continuous time, as ``filch fleet`` does.

    The keywords are the flags of the command. ``policies`` may have policies of one's own among
    them, as in :func:`farm`; a batch is one request then, and a queue is what this dispatcher has
    sent and not got back.
    """
    given = dict(locals())
    names, own = divided(policies)
    given["policies"] = names or None
    line = words(["fleet"], fleet, given)
    text, times, error = _native.fleet(line, bool(names), own)
    answer = parsed(text)
    found = [
        FleetPolicy(**{**one, "ci95": interval(one["ci95"])}, times=constant(runs))
        for one, runs in zip(answer["policies"], times, strict=True)
    ]
    result = FleetResult(
        seed=answer["seed"],
        policies=tuple(found),
        differences=tuple(map(Difference.of, answer["differences"])),
        answer=answer,
    )
    return raised(error, result)
