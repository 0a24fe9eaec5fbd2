"""Results as notebooks show them: a table, and a small plot as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Curve", "page", "plot", "table"]

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 480, 180, 60, 12, 34
MOST_POINTS, MOST_CURVES = 240, 8
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#e69f00",
    "#000000",
    "#999999",
)


class Curve(NamedTuple):
    """A line of a plot."""

    name: str
    x: NDArray[Any]
    y: NDArray[Any]


def shown(value: Any) -> str:
    """A value in a cell: four digits are enough to read."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple) and len(value) == 2:
        return " … ".join(map(shown, value))
    return str(value)


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of HTML."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(shown(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def plot(curves: Sequence[Curve], x: str, y: str) -> str:
    """The curves over common axes that begin at 0."""
    drawn = [thinned(curve) for curve in curves[:MOST_CURVES]]
    drawn = [curve for curve in drawn if len(curve.x)]
    if not drawn:
        return ""
    most_x = max(float(curve.x.max()) for curve in drawn) or 1.0
    most_y = max(float(curve.y.max()) for curve in drawn) or 1.0
    wide, high = WIDTH - LEFT - 10, HEIGHT - TOP - BOTTOM

    def place(curve: Curve) -> str:
        across = LEFT + wide * curve.x / most_x
        down = TOP + high * (1 - curve.y / most_y)
        return " ".join(f"{a:.1f},{d:.1f}" for a, d in zip(across, down, strict=True))

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-size="11" font-family="sans-serif" role="img">',
        f'<path d="M{LEFT} {TOP}V{TOP + high}H{LEFT + wide}" fill="none" stroke="#888"/>',
        f'<text x="{LEFT - 4}" y="{TOP + 8}" text-anchor="end">{shown(most_y)}</text>',
        f'<text x="{LEFT - 4}" y="{TOP + high}" text-anchor="end">0</text>',
        f'<text x="{LEFT + wide}" y="{TOP + high + 14}" text-anchor="end">{shown(most_x)}</text>',
        f'<text x="{LEFT}" y="{TOP + high + 14}">{escape(x)}</text>',
        f'<text x="{LEFT + 6}" y="{TOP + 8}" fill="#555">{escape(y)}</text>',
    ]
    for number, curve in enumerate(drawn):
        colour = COLOURS[number]
        at = LEFT + number * wide // len(drawn)
        parts.append(
            f'<polyline points="{place(curve)}" fill="none" stroke="{colour}">'
            f"<title>{escape(curve.name)}</title></polyline>"
            f'<text x="{at}" y="{HEIGHT - 4}" fill="{colour}">{escape(curve.name)}</text>'
        )
    return "".join(parts) + "</svg>"


def thinned(curve: Curve) -> Curve:
    """The same with fewer points: means over neighbours, as many as a screen shows."""
    finite = np.isfinite(curve.x) & np.isfinite(curve.y)
    x, y = curve.x[finite].astype(float), curve.y[finite].astype(float)
    join = math.ceil(len(x) / MOST_POINTS)
    if join > 1:
        whole = len(x) // join * join
        x, y = x[:whole].reshape(-1, join)[:, -1], y[:whole].reshape(-1, join).mean(axis=1)
    return Curve(curve.name, x, y)


def page(title: str, *parts: str) -> str:
    """A result: its title, then its parts."""
    return f"<div><p><b>{escape(title)}</b></p>{''.join(parts)}</div>"
