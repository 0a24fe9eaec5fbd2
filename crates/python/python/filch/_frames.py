"""Tables for pandas and polars, which are imported when a table is asked for."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from types import ModuleType
from typing import Any

__all__ = ["frame"]

KNOWN = ("pandas", "polars")


def frame(columns: Mapping[str, Any], backend: str | ModuleType | None = None) -> Any:
    """The columns as a data frame.

    ``backend`` is ``"pandas"``, ``"polars"`` or one of these modules. Without it, pandas is taken
    if it is installed, and otherwise polars.
    """
    module = backend if isinstance(backend, ModuleType) else importlib.import_module(_name(backend))
    return module.DataFrame(dict(columns))


def _name(backend: str | None) -> str:
    if backend is None:
        installed = [name for name in KNOWN if importlib.util.find_spec(name)]
        if not installed:
            raise ImportError("to_frame() needs pandas or polars: pip install pandas")
        return installed[0]
    if backend not in KNOWN:
        raise ValueError(f"backend: {backend!r} is none of {', '.join(KNOWN)}")
    return backend
