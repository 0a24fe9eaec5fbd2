"""Data frames and notebooks."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET

import filch
import numpy as np
import pandas
import polars
import pytest

FARM = filch.farm(slots=2000, policy="pi,jsq:2", loads="0.5:0.7:0.1")
FLEET = filch.fleet(servers=20, lambda_=0.7, time=40, replications=3)
NATURAL = filch.natural(processors=20, lambda_=0.7, steps=400, replications=3)
DAG = filch.dag(family="fib:10", scheduler="stealing", processors=4, runs=5)
LIMIT = filch.limit("supermarket", lambda_=0.9)


@pytest.mark.parametrize("backend", ["pandas", "polars", pandas, polars])
def test_frames_of_either_kind(backend):
    module = {"pandas": pandas, "polars": polars}.get(backend, backend)
    frames = [
        (FARM.to_frame(backend=backend), 6),
        (FARM.to_frame("differences", backend), 3),
        (FARM.to_frame("trajectories", backend), sum(len(p.trajectory) for p in policies())),
        (FARM.to_frame("completions", backend), sum(len(p.completion_jobs) for p in policies())),
        (FLEET.to_frame(backend=backend), 3),
        (FLEET.to_frame("runs", backend), 9),
        (FLEET.to_frame("differences", backend), 3),
        (NATURAL.to_frame(backend=backend), 1200),
        (NATURAL.to_frame("loads", backend), len(NATURAL.loads)),
        (DAG.to_frame(backend), 5),
        (LIMIT.to_frame(backend), len(LIMIT.tails)),
    ]
    for frame, rows in frames:
        assert isinstance(frame, module.DataFrame)
        assert len(frame) == rows
    policies_frame = frames[0][0]
    assert list(policies_frame["policy"]) == ["pi", "jsq:2"] * 3
    assert list(policies_frame["load"]) == [0.5, 0.5, 0.6, 0.6, 0.7, 0.7]


def policies():
    return [policy for one in FARM.situations for policy in one.policies]


def test_a_frame_needs_a_known_library(monkeypatch):
    with pytest.raises(ValueError, match="backend: 'excel' is none of pandas, polars"):
        FARM.to_frame(backend="excel")
    with pytest.raises(ValueError, match="kind: 'nothing' is none of"):
        FARM.to_frame("nothing")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError):
        FARM.to_frame(backend="pandas")


def test_pandas_is_imported_by_to_frame_alone():
    import subprocess

    program = "import filch, sys; assert not {'pandas', 'polars'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("result", [FARM, FLEET, NATURAL, DAG, LIMIT])
def test_notebooks_show_a_table_and_a_plot(result):
    html = result._repr_html_()
    assert html.count("<svg") == html.count("</svg>") >= 1
    assert "<table>" in html
    # Well-formed, which escaping sees to.
    ET.fromstring(f"<all>{html}</all>")
    assert "NaN" not in html and "nan" not in html
    assert repr(result).startswith("<")


def test_names_are_escaped():
    class Odd:
        name = "<b>&\"odd\""

        def __init__(self, servers):
            pass

        def whole(self, jobs, view):
            return 0

    shown = filch.farm(slots=200, servers="one=1@1", load=0.5, policy=["random", Odd])
    ET.fromstring(f"<all>{shown._repr_html_()}</all>")
    assert "<b>&" not in shown._repr_html_()


def test_a_plot_has_means_of_neighbours():
    curve = filch._html.Curve("x", np.arange(1.0, 1001), np.arange(1.0, 1001))
    thin = filch._html.thinned(curve)
    assert len(thin.x) <= filch._html.MOST_POINTS
    assert thin.x[0] == 5 and thin.y[0] == 3
