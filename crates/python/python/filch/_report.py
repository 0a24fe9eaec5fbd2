"""The data of a report of ``filch reproduce``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from . import _html
from ._frames import frame
from ._values import Values, parsed

__all__ = ["Report", "read_report"]

DAMAGED = (ValueError, AttributeError, LookupError, TypeError)
"""What reading a file raises that is no report, or one that was cut or changed."""

CLAIM = ("claim", "stated", "checked", "found", "outcome", "measured", "bound")


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A report: claims, tables and plots of its chapters."""

    version: str
    scale: str
    seed: int
    command: str
    missing: tuple[str, ...]
    """The titles of chapters that are not done."""
    answer: Values
    """All of ``report.json``."""

    def claims(self, backend: str | ModuleType | None = None) -> Any:
        """A data frame with a row for each claim, as ``claims.csv`` has them."""
        rows = [(c["id"], claim) for c in self.answer["chapters"] for claim in c["claims"]]
        columns: dict[str, list[Any]] = {"chapter": [chapter for chapter, _ in rows]}
        for name in CLAIM:
            columns[name] = [claim.get(name) for _, claim in rows]
        return frame(columns, backend)

    def tables(self, backend: str | ModuleType | None = None) -> Mapping[tuple[str, str], Any]:
        """A data frame for each table, by the chapter's id and the title of the table."""
        return {
            (chapter["id"], table["title"]): frame(_columns(table), backend)
            for chapter in self.answer["chapters"]
            for table in chapter["tables"]
        }

    def plots(self, backend: str | ModuleType | None = None) -> Mapping[str, Any]:
        """A data frame for each plot by its id, as ``ID.csv`` has it."""
        plots = [p for chapter in self.answer["chapters"] for p in chapter.get("plots", ())]
        return {plot["id"]: frame(_points(plot), backend) for plot in plots}

    def __repr__(self) -> str:
        return f"<Report: {self.scale}, seed {self.seed}, {len(self.answer['chapters'])} chapters>"

    def _repr_html_(self) -> str:
        rows = []
        for chapter in self.answer["chapters"]:
            outcomes = [claim["outcome"] for claim in chapter["claims"]]
            holding = sum(outcome == "holds" for outcome in outcomes)
            rows.append((chapter["title"], len(outcomes), holding))
        return _html.page(self.command, _html.table(("chapter", "claims", "hold"), rows))


def _columns(table: Values) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for at, name in enumerate(table["columns"]):
        cells = [row[at] for row in table["rows"]]
        # Words among numbers make a column of words: a data frame has one type for each.
        if any(isinstance(cell, str) for cell in cells):
            cells = [cell if isinstance(cell, str) else json.dumps(cell) for cell in cells]
        known = name
        while known in columns:
            known += "'"
        columns[known] = cells
    return columns


def _points(plot: Values) -> dict[str, list[Any]]:
    points = [(series, point) for series in plot["series"] for point in series["points"]]
    ends = [point.get("interval") or (None, None) for _, point in points]
    return {
        "series": [series["name"] for series, _ in points],
        "origin": [series["origin"] for series, _ in points],
        "x": [point["x"] for _, point in points],
        "y": [point["y"] for _, point in points],
        "low": [low for low, _ in ends],
        "high": [high for _, high in ends],
    }


def _look_at_all(answer: Values) -> None:
    """Raises one of ``DAMAGED`` if a part is missing that the methods of a report need."""
    for chapter in answer["chapters"]:
        _ = chapter["id"], chapter["title"], [claim["outcome"] for claim in chapter["claims"]]
        for table in chapter["tables"]:
            _ = table["title"], _columns(table)
        for plot in chapter.get("plots", ()):
            _ = plot["id"], _points(plot)


def read_report(path: str | os.PathLike[str] = "filch-report") -> Report:
    """Reads the report in this folder, or in this ``report.json``."""
    place = Path(path)
    place = place / "report.json" if place.is_dir() else place
    try:
        answer = parsed(place.read_text(encoding="utf-8"))
        _look_at_all(answer)
        return Report(
            version=answer["version"],
            scale=answer["scale"],
            seed=answer["seed"],
            command=answer["command"],
            missing=tuple(answer.get("missing", ())),
            answer=answer,
        )
    except DAMAGED as why:
        raise ValueError(
            f"{place} is no report of 'filch reproduce': pass its folder, or its report.json"
        ) from why
