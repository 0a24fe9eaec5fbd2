"""Steal functions of one's own."""

from __future__ import annotations

import filch
import numpy as np
import pytest

PROCESS = {"processors": 30, "lambda_": 0.8, "steps": 500, "replications": 3}


@pytest.mark.parametrize(
    "mine",
    [lambda load: load // 2, [load // 2 for load in range(10_000)], np.arange(10_000) // 2],
)
def test_half_is_half(mine):
    own, named = filch.natural(**PROCESS, steal=mine), filch.natural(**PROCESS, steal="half")
    assert own.mean_load == named.mean_load
    assert all((a == b).all() for a, b in zip(own.trajectories, named.trajectories, strict=True))
    assert (own.loads == named.loads).all()
    assert own.bounds is None and named.bounds is not None


def test_the_last_value_of_a_table_holds_for_larger_loads():
    table, named = filch.natural(**PROCESS, steal=[0, 0, 1]), filch.natural(**PROCESS, steal="one")
    assert table.mean_load == named.mean_load
    assert table.steal == "table"


def test_a_function_is_asked_for_large_loads():
    """The unstable process has loads beyond the table; the function must see them."""
    asked = []

    def one(load):
        asked.append(load)
        return 1

    unstable = {"processors": 2000, "lambda_": 0.9, "steps": 100, "replications": 1}
    own, named = filch.natural(**unstable, steal=one), filch.natural(**unstable, steal="one")
    assert own.mean_load == named.mean_load
    assert max(asked) > filch._steal.TABLE


def test_a_function_that_raises_ends_the_runs():
    def late(load):
        if load > filch._steal.TABLE:
            raise ZeroDivisionError("on purpose")
        return 1

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        filch.natural(processors=2000, lambda_=0.9, steps=100, steal=late)


@pytest.mark.parametrize(
    ("steal", "error", "sentence"),
    [
        ([], ValueError, "steal: the table is empty"),
        ([0, 2, 1], ValueError, r"steal: f\(2\) = 1 is less than f\(1\) = 2"),
        ([-1], ValueError, r"steal: f\(0\) = -1 is less than 0"),
        ([0, 0.5], TypeError, r"steal: f\(0\) = 0.0 is no number of jobs"),
        (lambda load: None, TypeError, r"steal: f\(0\) = None is no number of jobs"),
        (lambda load: -load, ValueError, r"steal: f\(1\) = -1 is less than 0"),
    ],
)
def test_nonsense_is_refused(steal, error, sentence):
    with pytest.raises(error, match=sentence):
        filch.natural(**PROCESS, steal=steal)


def test_what_needs_a_name_says_so():
    with pytest.raises(ValueError, match="recover: needs a steal function that has a name"):
        filch.natural(**PROCESS, steal=[0, 1], recover=100)
    with pytest.raises(ValueError, match="limit: needs a steal function that has a name"):
        filch.natural(**PROCESS, steal=[0, 1], limit=True)
