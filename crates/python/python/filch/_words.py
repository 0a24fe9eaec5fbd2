"""Keywords as words of the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["flag", "words"]


def flag(keyword: str) -> str:
    """The flag that a keyword stands for: ``lambda_`` is ``lambda``, ``pop_top`` ``pop-top``."""
    return keyword.rstrip("_").replace("_", "-")


def words(
    command: Iterable[str], function: Callable[..., Any], given: Mapping[str, Any]
) -> list[str]:
    """The command with a flag for each keyword that differs from its default.

    The defaults of the functions are those of the command line (a test holds them against one
    another), so what is left out means the same.
    """
    defaults: Mapping[str, Any] = getattr(function, "__kwdefaults__", None) or {}
    line = list(command)
    for keyword, value in given.items():
        if value is None or value is False or _same(value, defaults.get(keyword)):
            continue
        name = f"--{flag(keyword)}"
        line.append(name if value is True else f"{name}={_text(value)}")
    return line


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return os.fsdecode(value) if isinstance(value, os.PathLike) else str(value)
