"""PI's dispatcher and servers (``filch dispatch``)."""

from __future__ import annotations

import os
from collections.abc import Callable
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

__all__ = ["FarmPolicy", "FarmResult", "Situation", "farm"]

LAST = 1 << 20
"""A place after all others."""


@dataclass(frozen=True, eq=False, repr=False)
class FarmPolicy:
    """What the run of one policy shows."""

    policy: str
    verdict: str
    """``stable``, ``unstable`` or ``undecided``."""
    mean_total_queue: float
    ci95: Interval | None
    """The 95 % interval of the mean; unstable and very short runs have none."""
    independent: bool
    """Whether the batch means pass a test of independence; if not, the interval is too narrow."""
    warmup: int
    """Slots that the mean leaves out."""
    messages_per_slot: float
    jct: Values | None
    """Job completion times in slots: mean, p50, p90, p99, p999, jobs, unfinished, cut."""
    ended: int | None
    """The slot at which the run ended because too many jobs were waiting."""
    trajectory: NDArray[np.float64]
    """The total queue over time: means over ``slots_per_point`` slots."""
    slots_per_point: int
    completion_slots: NDArray[np.uint64]
    """Completion times that occurred, ascending."""
    completion_jobs: NDArray[np.uint64]
    """How many jobs had each of them."""

    def __repr__(self) -> str:
        return f"<{self.policy}: {self.verdict}, mean queue {self.mean_total_queue:.4g}>"


@dataclass(frozen=True, eq=False, repr=False)
class Situation:
    """One farm under one demand, with every policy on the same arrivals and capacities."""

    servers: str
    load: float | None
    arrivals: str
    batches: str
    policies: tuple[FarmPolicy, ...]
    differences: tuple[Difference, ...]

    def __getitem__(self, policy: str) -> FarmPolicy:
        for one in self.policies:
            if one.policy == policy:
                return one
        known = ", ".join(one.policy for one in self.policies)
        raise KeyError(f"{policy!r} is none of {known}")

    def difference(self, first: str, second: str) -> Difference | None:
        """Mean queue of the first minus that of the second; none if one is unstable."""
        return compared(self.differences, first, second)

    def __repr__(self) -> str:
        return f"<{self.arrivals}, batches {self.batches}: {list(self.policies)}>"


@dataclass(frozen=True, eq=False, repr=False)
class FarmResult:
    """What every policy came to in every situation."""

    seed: int
    slots: int
    situations: tuple[Situation, ...]
    answer: Values
    """All that ``filch dispatch --json`` prints."""

    def __getitem__(self, policy: str) -> FarmPolicy:
        """The policy in the only situation."""
        return self._only()[policy]

    def difference(self, first: str, second: str) -> Difference | None:
        """The difference in the only situation; none if one of the two is unstable there."""
        return self._only().difference(first, second)

    def _only(self) -> Situation:
        if len(self.situations) != 1:
            raise KeyError(f"there are {len(self.situations)} situations: choose one of them")
        return self.situations[0]

    def to_frame(self, kind: str = "policies", backend: str | ModuleType | None = None) -> Any:
        """A data frame of ``policies``, ``differences``, ``trajectories`` or ``completions``."""
        tables: dict[str, Callable[[], dict[str, Any]]] = {
            "policies": self._policies,
            "differences": self._differences,
            "trajectories": lambda: self._arrays("last_slot", "mean_total_queue"),
            "completions": lambda: self._arrays("slots", "jobs"),
        }
        if kind not in tables:
            raise ValueError(f"kind: {kind!r} is none of {', '.join(tables)}")
        return frame(tables[kind](), backend)

    def _policies(self) -> dict[str, list[Any]]:
        rows = [(one, policy) for one in self.situations for policy in one.policies]
        of = ("mean", "p50", "p90", "p99", "p999")
        return {
            **_where([one for one, _ in rows]),
            "policy": [policy.policy for _, policy in rows],
            "verdict": [policy.verdict for _, policy in rows],
            "mean_total_queue": [policy.mean_total_queue for _, policy in rows],
            "low": [policy.ci95 and policy.ci95.low for _, policy in rows],
            "high": [policy.ci95 and policy.ci95.high for _, policy in rows],
            "messages_per_slot": [policy.messages_per_slot for _, policy in rows],
            **{f"jct_{key}": [p.jct and p.jct[key] for _, p in rows] for key in of},
        }

    def _differences(self) -> dict[str, list[Any]]:
        rows = [(one, difference) for one in self.situations for difference in one.differences]
        return {
            **_where([one for one, _ in rows]),
            "first": [difference.first for _, difference in rows],
            "second": [difference.second for _, difference in rows],
            "difference": [difference.difference for _, difference in rows],
            "low": [difference.ci95.low for _, difference in rows],
            "high": [difference.ci95.high for _, difference in rows],
        }

    def _arrays(self, x: str, y: str) -> dict[str, Any]:
        rows = [(one, policy) for one in self.situations for policy in one.policies]
        pairs = [
            (_slots(policy), policy.trajectory)
            if x == "last_slot"
            else (policy.completion_slots, policy.completion_jobs)
            for _, policy in rows
        ]
        lengths = [len(ys) for _, ys in pairs]
        labels = {**_where([one for one, _ in rows]), "policy": [p.policy for _, p in rows]}
        repeated = {
            name: [v for v, n in zip(values, lengths, strict=True) for _ in range(n)]
            for name, values in labels.items()
        }
        none = np.empty(0)
        return {
            **repeated,
            x: np.concatenate([none.astype(np.uint64), *(xs for xs, _ in pairs)]),
            y: np.concatenate([ys for _, ys in pairs] or [none]),
        }

    def __repr__(self) -> str:
        return f"<FarmResult: {self.slots} slots, seed {self.seed}, {list(self.situations)}>"

    def _repr_html_(self) -> str:
        heads = ("policy", "verdict", "mean queue", "95 %", "messages", "JCT mean", "p99")
        parts = []
        for one in self.situations:
            rows = [
                (
                    policy.policy,
                    policy.verdict,
                    policy.mean_total_queue,
                    policy.ci95,
                    policy.messages_per_slot,
                    policy.jct and policy.jct["mean"],
                    policy.jct and policy.jct["p99"],
                )
                for policy in one.policies
            ]
            curves = [_html.Curve(p.policy, _slots(p), p.trajectory) for p in one.policies]
            title = f"{one.servers}: {one.arrivals}, batches {one.batches}"
            drawn = _html.plot(curves, "slot", "total queue")
            parts.append(_html.page(title, _html.table(heads, rows), drawn))
        return "".join(parts)


def _where(situations: list[Situation]) -> dict[str, list[Any]]:
    return {
        "servers": [one.servers for one in situations],
        "load": [one.load for one in situations],
        "arrivals": [one.arrivals for one in situations],
        "batches": [one.batches for one in situations],
    }


def _slots(policy: FarmPolicy) -> NDArray[np.uint64]:
    return policy.slots_per_point * np.arange(1, len(policy.trajectory) + 1, dtype=np.uint64)


def farm(
    scenario: str | os.PathLike[str] | None = None,
    *,
    servers: str = "slow=50@1,fast=50@10",
    load: float = 0.9,
    loads: str | None = None,
    policy: Policies = "pi,jiq,jsq,jsq:2,jsq:1:1",
    whole: bool = False,
    split: bool = False,
    slots: int | None = None,
    warmup: int | None = None,
    allow_overload: bool = False,
    threads: int | None = None,
    seed: int | None = None,
) -> FarmResult:
    """Put dispatch policies in front of simulated servers, as ``filch dispatch`` does.

    The keywords are the flags of the command; ``scenario`` is its scenario file. ``policy`` is one
    policy or a list: names, and policies of one's own (:class:`Policy`, :class:`NativePolicy`).
    With a scenario, those of one's own are added to its policies.
    All of them meet the same arrivals and capacities. A policy in Python is simulated after those
    that have names, on the thread of the caller. If it raises, its exception has an attribute
    ``done``: the :class:`FarmResult` of what was finished before.
    """
    given = dict(locals())
    del given["scenario"]
    names, own = divided(policy)
    given["policy"] = names or None
    line = words(["dispatch"], farm, given)
    line += [] if scenario is None else ["--", os.fspath(scenario)]
    if scenario is not None:
        # Policies of one's own come after those of the scenario, however many these are.
        own = [(LAST + place, name, make) for place, name, make in own]
    named = bool(names) or scenario is not None
    text, arrays, error = _native.farm(line, named, own)
    answer = parsed(text)
    result = FarmResult(
        seed=answer["seed"],
        slots=answer["slots"],
        situations=tuple(map(_situation, answer["situations"], arrays)),
        answer=answer,
    )
    return raised(error, result)


def _situation(answer: Values, arrays: list[tuple[int, Any, Any, Any]]) -> Situation:
    policies = []
    for policy, (every, trajectory, slots, jobs) in zip(answer["policies"], arrays, strict=True):
        values = {**policy, "ci95": interval(policy["ci95"])}
        policies.append(
            FarmPolicy(
                **values,
                trajectory=constant(trajectory),
                slots_per_point=every,
                completion_slots=constant(slots),
                completion_jobs=constant(jobs),
            )
        )
    return Situation(
        servers=answer["servers"],
        load=answer["load"],
        arrivals=answer["arrivals"],
        batches=answer["batches"],
        policies=tuple(policies),
        differences=tuple(map(Difference.of, answer["differences"])),
    )
