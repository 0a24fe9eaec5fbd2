from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

_Own = tuple[int, str, Any]
_Row = tuple[int, int, list[Any]]
_Run = tuple[int, NDArray[np.float64], NDArray[np.uint64], NDArray[np.uint64]]

@final
class Rng:
    """A random stream, which depends on the seed of the run alone."""

    def below(self, n: int) -> int:
        """A number from 0 to n − 1, all alike."""
    def random(self) -> float:
        """A real number from 0 up to, not including, 1."""
    def sample(self, n: int, k: int) -> list[int]:
        """k different numbers from 0 to n − 1, in random order."""

@final
class View:
    """The servers, as a policy sees them.

    The arrays are the same objects at every decision: what is to be kept has to be copied.
    """

    @property
    def servers(self) -> int:
        """How many servers there are."""
    @property
    def queues(self) -> NDArray[np.uint32]:
        """The queue lengths before this batch: all jobs not yet finished."""
    @property
    def speeds(self) -> NDArray[np.float64]:
        """Jobs that each server can serve in a unit of time, on average."""
    @property
    def rng(self) -> Rng:
        """Where to take random numbers from."""

@final
class Pointer:
    def __new__(cls, whole: int, idle: int, state: bytes, messages_each: int) -> Pointer: ...

@final
class SweepPlan:
    def __new__(
        cls,
        model: str,
        grid: list[tuple[str, list[Any]]],
        replications: int | None,
        until: float | None,
        most_replications: int | None,
        seed: int | None,
    ) -> SweepPlan: ...
    @staticmethod
    def read(words: list[str]) -> SweepPlan: ...
    @staticmethod
    def of_canonical(text: str) -> SweepPlan: ...
    def canonical(self) -> str: ...
    @property
    def points(self) -> int: ...
    def weight(self, point: int) -> float: ...
    def complete(self, points: list[int], threads: int) -> list[_Row]: ...
    def columns(self, rows: list[_Row]) -> list[tuple[str, Any, NDArray[np.bool_]]]: ...
    def files(self, rows: list[_Row]) -> list[tuple[str, bytes]]: ...
    def wide(self, rows: list[_Row]) -> int: ...

def sweep_range(name: str, first: Any, last: Any, step: Any) -> list[int | float]: ...

def natural(
    words: list[str], steal: tuple[list[int], Callable[[int], int] | None] | None = None
) -> tuple[
    str,
    list[tuple[int, NDArray[np.float64]]],
    tuple[NDArray[np.uint64], NDArray[np.uint64]],
]: ...
def farm(
    words: list[str], named: bool, own: list[_Own]
) -> tuple[str, list[list[_Run]], BaseException | None]: ...
def fleet(
    words: list[str], named: bool, own: list[_Own]
) -> tuple[str, list[NDArray[np.float64]], BaseException | None]: ...
def dag(words: list[str]) -> tuple[str, str, list[tuple[str, NDArray[np.uint64]]]]: ...
def measure(words: list[str]) -> str: ...
def theory_natural(words: list[str]) -> str: ...
def theory_dag(words: list[str]) -> str: ...
def limit(words: list[str]) -> str: ...
def program(library: str, words: list[str]) -> int: ...
def flags(path: list[str]) -> list[tuple[str, str | None, bool]] | None: ...
