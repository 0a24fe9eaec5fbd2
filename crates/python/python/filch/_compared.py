"""Policies compared in pairs, and what is left of a run that did not come to its end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from ._values import Interval, Values

__all__ = ["Difference", "compared", "raised"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Difference:
    """A mean of the first policy minus that of the second, on the same random numbers."""

    first: str
    second: str
    difference: float
    ci95: Interval

    @classmethod
    def of(cls, answer: Values) -> Difference:
        """From a part of an answer."""
        ends = Interval(*answer["ci95"])
        return cls(answer["first"], answer["second"], answer["difference"], ends)

    def turned(self) -> Difference:
        """The second minus the first."""
        low, high = self.ci95
        return Difference(self.second, self.first, -self.difference, Interval(-high, -low))


def compared(differences: Iterable[Difference], first: str, second: str) -> Difference | None:
    """The difference of these two, whichever way round it is there."""
    for one in differences:
        if (one.first, one.second) == (first, second):
            return one
        if (one.second, one.first) == (first, second):
            return one.turned()
    return None


def raised(error: BaseException | None, result: Result) -> Result:
    """The result; or the exception of a policy, with the result as its attribute ``done``."""
    if error is None:
        return result
    error.done = result  # type: ignore[attr-defined]
    raise error
