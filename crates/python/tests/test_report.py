"""The data of a report."""

from __future__ import annotations

import csv
import json

import filch
import pytest

REPORT = {
    "version": "0.1.0",
    "scale": "quick",
    "seed": 1,
    "command": "filch reproduce --quick --seed 1",
    "missing": ["The runtime"],
    "chapters": [
        {
            "id": "farm",
            "title": "The farm",
            "text": "What was done.",
            "measured": False,
            "claims": [
                {
                    "claim": "PI is stable",
                    "stated": "PI, Theorem 1",
                    "checked": "4 runs",
                    "found": "so it is",
                    "measured": 0.5,
                    "bound": 1.0,
                    "outcome": "holds",
                },
                {
                    "claim": "JIQ is too",
                    "stated": "nowhere",
                    "checked": "4 runs",
                    "found": "it is not",
                    "outcome": "does not hold",
                },
            ],
            "tables": [
                {"title": "Queues", "columns": ["load", "mean", "mean"],
                 "rows": [[0.5, 1, "–"], [0.9, 2, 3.5]]},
            ],
            "plots": [
                {
                    "id": "farm-queues",
                    "title": "Queues",
                    "x": {"label": "load", "logarithmic": False},
                    "y": {"label": "jobs", "logarithmic": True},
                    "series": [
                        {"name": "pi", "origin": "simulated", "points": [
                            {"x": 0.5, "y": 1.0, "interval": [0.9, 1.1]}, {"x": 0.9, "y": 2.0},
                        ]},
                    ],
                    "command": "filch dispatch",
                },
            ],
        },
        {"id": "empty", "title": "Nothing", "text": "", "measured": True, "claims": [],
         "tables": []},
    ],
}


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_a_report_as_frames(tmp_path, backend):
    (tmp_path / "report.json").write_text(json.dumps(REPORT), encoding="utf-8")
    for path in (tmp_path, tmp_path / "report.json"):
        report = filch.read_report(path)
        assert (report.scale, report.seed, report.missing) == ("quick", 1, ("The runtime",))
        claims = report.claims(backend)
        assert list(claims["outcome"]) == ["holds", "does not hold"]
        assert list(claims["chapter"]) == ["farm", "farm"]
        table = report.tables(backend)["farm", "Queues"]
        assert list(table.columns) == ["load", "mean", "mean'"]
        assert list(table["mean'"]) == ["–", "3.5"]
        plot = report.plots(backend)["farm-queues"]
        assert list(plot["y"]) == [1.0, 2.0]
        assert list(plot["low"])[0] == 0.9
        assert "The farm" in report._repr_html_()


def test_a_damaged_report_is_refused_when_it_is_read(tmp_path):
    first = REPORT["chapters"][0]
    without_claims = {name: part for name, part in first.items() if name != "claims"}
    short = {**first, "tables": [{**first["tables"][0], "rows": [[1]]}]}
    for chapters in (None, 3, [without_claims], [short]):
        (tmp_path / "report.json").write_text(json.dumps({**REPORT, "chapters": chapters}))
        with pytest.raises(ValueError, match="is no report of 'filch reproduce'"):
            filch.read_report(tmp_path)


def test_what_is_no_report_is_refused(tmp_path):
    (tmp_path / "report.json").write_text("[1]")
    with pytest.raises(ValueError, match="is no report of 'filch reproduce'"):
        filch.read_report(tmp_path)
    (tmp_path / "report.json").write_text("{")
    with pytest.raises(ValueError, match="is no report of 'filch reproduce'"):
        filch.read_report(tmp_path)
    with pytest.raises(FileNotFoundError):
        filch.read_report(tmp_path / "nothing")


def test_the_frames_are_those_of_the_files_that_filch_writes(filch_program, tmp_path):
    """A real report, of its first chapters: it is written anew after each of them."""
    import subprocess
    import time

    out = tmp_path / "report"
    program = [filch_program.program, "reproduce", "--quick", "--out", str(out)]
    running = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while running.poll() is None and not (out / "report.json").exists():
            time.sleep(0.1)
    finally:
        running.kill()
        running.wait()
    report = filch.read_report(out)
    with open(out / "claims.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    claims = report.claims("pandas")
    assert len(claims) == len(rows) > 0
    for name in ("chapter", "stated", "claim", "checked", "found", "outcome"):
        assert list(claims[name]) == [row[name] for row in rows]
    for name, plot in report.plots("pandas").items():
        with open(out / f"{name}.csv", encoding="utf-8", newline="") as file:
            points = list(csv.DictReader(file))
        assert list(plot["y"]) == [float(point["y"]) for point in points]
    assert report.tables("pandas")
