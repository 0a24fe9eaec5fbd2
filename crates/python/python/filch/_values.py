"""Answers that cannot be changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "Values", "constant", "interval", "parsed"]


class Interval(NamedTuple):
    """The ends of a 95 % interval."""

    low: float
    high: float


class Values(Mapping[str, Any]):
    """A part of an answer: a mapping whose keys are attributes too. It cannot be changed."""

    __slots__ = ("_values",)
    _values: dict[str, Any]

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", dict(values))

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_values" or name not in self._values:
            raise AttributeError(name)
        return self._values[name]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an answer cannot be changed")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Values, (self._values,))

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self._values == dict(other)

    def __repr__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in self._values.items())
        return f"Values({inside})"


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return Values({key: _frozen(one) for key, one in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def parsed(answer: str) -> Values:
    """The answer of the command line."""
    values: Values = _frozen(json.loads(answer))
    return values


def interval(ends: tuple[float, float] | None) -> Interval | None:
    """The ends of an interval, if there is one."""
    return None if ends is None else Interval(*ends)


def constant(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, which cannot be written to any more."""
    array.flags.writeable = False
    return np.asarray(array)
