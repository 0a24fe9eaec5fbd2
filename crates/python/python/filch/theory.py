"""What the papers promise, without simulating (``filch theory``)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import _native
from ._values import Values, parsed
from ._words import words

__all__: Sequence[str] = ["dag", "natural"]


def natural(
    *,
    processors: int,
    lambda_: float,
    steal: str = "half",
    generators: str = "one",
    c: float = 2,
) -> Values:
    """The bounds on the natural process (BFG01, BFG03), as ``filch theory natural --json``.

    Numbers that no float holds have ``exact`` (their digits), ``log10`` or ``tower``.
    """
    return parsed(_native.theory_natural(words(["theory", "natural"], natural, dict(locals()))))


def dag(
    *,
    processors: int,
    family: str | None = None,
    file: str | os.PathLike[str] | None = None,
    work: int | None = None,
    span: int | None = None,
    stack_depth: int | None = None,
    nd: int | None = None,
    largest_frame: int | None = None,
    epsilon: float = 0.01,
) -> Values:
    """The bounds on a computation on P processors (BL99, ABP01), as ``filch theory dag --json``."""
    return parsed(_native.theory_dag(words(["theory", "dag"], dag, dict(locals()))))
