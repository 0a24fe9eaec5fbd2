"""The package answers as the command line does, in the same words."""

from __future__ import annotations

import inspect
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import filch
import numpy as np
import pytest
from filch import _native
from filch._words import flag

QUICK = {
    "natural": {"processors": 20, "lambda_": 0.7, "steps": 400, "replications": 3},
    "farm": {"slots": 2000, "policy": "pi,jsq:2", "load": 0.7},
    "fleet": {"servers": 20, "lambda_": 0.7, "time": 40, "replications": 3},
    "dag": {"family": "fib:10", "scheduler": "stealing", "processors": 4, "runs": 3},
}


def line(keywords: dict[str, Any]) -> list[str]:
    return [f"--{flag(name)}={value}" for name, value in keywords.items()]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("natural", ["natural"]),
        ("farm", ["dispatch"]),
        ("fleet", ["fleet"]),
        ("dag", ["dag", "run"]),
    ],
)
def test_the_answer_is_that_of_the_program(filch_program, name, command):
    answer = getattr(filch, name)(**QUICK[name]).answer
    assert answer == filch._values._frozen(filch_program.json(*command, *line(QUICK[name])))


def test_theory_limits_and_measures_are_those_of_the_program(filch_program):
    assert filch.theory.natural(processors=1000, lambda_=0.5) == filch._values._frozen(
        filch_program.json("theory", "natural", "--processors=1000", "--lambda=0.5")
    )
    assert filch.theory.dag(processors=8, work=1000, span=10) == filch._values._frozen(
        filch_program.json("theory", "dag", "--processors=8", "--work=1000", "--span=10")
    )
    for words in (["natural"], ["stealing"], ["supermarket", "--choices=3", "--memory"]):
        keywords = {"choices": 3, "memory": True} if len(words) > 1 else {}
        answer = filch.limit(words[0], lambda_=0.8, **keywords).answer
        assert answer == filch._values._frozen(filch_program.json("limit", *words, "--lambda=0.8"))
    measured = filch_program.json("dag", "measure", "--family=fib:12")
    assert vars(filch.measure(family="fib:12")) == measured


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: filch.natural(processors=0, lambda_=0.5), "natural --processors=0 --lambda=0.5"),
        (lambda: filch.natural(processors=4, lambda_=2), "natural --processors=4 --lambda=2"),
        (
            lambda: filch.natural(processors=4, lambda_=0.5, steps=10, warmup=10),
            "natural --processors=4 --lambda=0.5 --steps=10 --warmup=10",
        ),
        (
            lambda: filch.natural(processors=4, lambda_=0.5, steal="hlaf"),
            "natural --processors=4 --lambda=0.5 --steal=hlaf",
        ),
        (lambda: filch.farm(policy="nonsense"), "dispatch --policy=nonsense"),
        (lambda: filch.farm(load=1.5), "dispatch --load=1.5"),
        (lambda: filch.farm(whole=True, split=True), "dispatch --whole --split"),
        (lambda: filch.farm("no-such.toml"), "dispatch no-such.toml"),
        (
            lambda: filch.fleet(servers=2, lambda_=0.5, policies=["jsq:3"]),
            "fleet --servers=2 --lambda=0.5 --policies=jsq:3",
        ),
        (
            lambda: filch.dag(scheduler="stealing", processors=2),
            "dag run --scheduler=stealing --processors=2",
        ),
        (lambda: filch.limit("supermarket", lambda_=1), "limit supermarket --lambda=1"),
        (lambda: filch.limit("nothing", lambda_=0.5), "limit nothing --lambda=0.5"),
    ],
)
def test_errors_have_the_sentence_of_the_program(filch_program, call, words):
    with pytest.raises(ValueError, match=".") as refused:
        call()
    assert str(refused.value) == filch_program.complaint(*words.split())


FLAGS = [
    (filch.natural, ["natural"], {"trace", "json"}),
    (filch.farm, ["dispatch"], {"csv", "json"}),
    (filch.fleet, ["fleet"], {"json"}),
    (filch.dag, ["dag", "run"], {"json"}),
    (filch.measure, ["dag", "measure"], {"json"}),
    (filch.theory.natural, ["theory", "natural"], {"json"}),
    (filch.theory.dag, ["theory", "dag"], {"json"}),
]


@pytest.mark.parametrize(("function", "path", "left_out"), FLAGS)
def test_keywords_are_the_flags_with_their_defaults(function, path, left_out):
    parameters = inspect.signature(function).parameters.values()
    keywords = {flag(one.name): one for one in parameters if one.kind is one.KEYWORD_ONLY}
    flags = {name: (default, required) for name, default, required in _native.flags(path)}
    assert set(keywords) == set(flags) - left_out
    for name, keyword in keywords.items():
        default, required = flags[name]
        assert required == (keyword.default is keyword.empty), name
        if not required and default is not None:
            assert str(keyword.default) == default, name
        elif not required:
            assert keyword.default in (None, False), name


def test_every_flag_of_a_limit_is_a_keyword():
    keywords = {flag(name) for name in inspect.signature(filch.limit).parameters} - {"model"}
    models = ("natural", "stealing", "supermarket")
    flags = {name for model in models for name, _, _ in _native.flags(["limit", model])}
    assert keywords == flags - {"json"}


def test_results_are_frozen():
    result = filch.natural(**QUICK["natural"])
    with pytest.raises(AttributeError):
        result.verdict = "stable"
    with pytest.raises(AttributeError):
        result.answer.verdict = "stable"
    with pytest.raises(ValueError, match="read-only"):
        result.trajectories[0][0] = 1
    farm = filch.farm(**QUICK["farm"])
    with pytest.raises(ValueError, match="read-only"):
        farm["pi"].trajectory[0] = 1


def test_arrays_say_what_the_answers_say():
    result = filch.natural(processors=20, lambda_=0.7, steps=400, warmup=0, replications=3)
    assert len(result.trajectories) == 3
    assert result.steps_per_point == (1, 1, 1)
    assert np.mean(result.trajectories) == pytest.approx(result.mean_load)
    assert result.load_steps.sum() == 1200
    mean = (result.loads * result.load_steps).sum() / 1200
    assert mean == pytest.approx(result.mean_load)
    # The memory is that of the simulator: NumPy owns no copy of it.
    assert not result.loads.flags.owndata
    farm = filch.farm(slots=2000, policy="pi", load=0.7, warmup=0)["pi"]
    assert len(farm.trajectory) * farm.slots_per_point == 2000
    assert farm.completion_jobs.sum() == farm.jct["jobs"]
    slots = (farm.completion_slots * farm.completion_jobs).sum() / farm.completion_jobs.sum()
    assert slots == pytest.approx(farm.jct["mean"])
    dag = filch.dag(**QUICK["dag"])
    assert dag.runs["time"].mean() == pytest.approx(dag.mean_time)
    assert (dag.runs["work"] == dag.measures.work).all()


def test_results_can_be_sent_to_other_processes():
    for name, keywords in QUICK.items():
        result = getattr(filch, name)(**keywords)
        assert pickle.loads(pickle.dumps(result)).answer == result.answer


def test_a_seed_gives_the_same_numbers_on_any_number_of_threads():
    for name, keywords in QUICK.items():
        one, two = (getattr(filch, name)(**keywords, threads=n).answer for n in (1, 2))
        assert one == two
        assert getattr(filch, name)(**keywords, seed=2).answer != one


def test_several_threads_work_at_once():
    def run(seed: int) -> Any:
        return filch.natural(**QUICK["natural"], seed=seed).answer

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(run, range(8)))
    assert together == [run(seed) for seed in range(8)]


def test_the_gil_is_released():
    """Another thread of Python interrupts a run of hours: it could not if the run held the GIL."""
    program = """
import _thread, filch, threading
threading.Timer(0.3, _thread.interrupt_main).start()
try:
    filch.farm(slots=2**31 - 1)
except KeyboardInterrupt:
    print("interrupted")
"""
    # The time-out only bounds a failure.
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


LONG = {
    "natural": "filch.natural(processors=100, lambda_=0.9, steps=2**40)",
    "farm": "filch.farm(slots=2**31 - 1)",
    "farm, own policy": "filch.farm(slots=2**31 - 1, policy=[Zero])",
    "fleet": "filch.fleet(servers=10, lambda_=0.5, time=2000, replications=10**6)",
    "a policy that loops": "filch.farm(policy=[Loops])",
    "a policy that sleeps": "filch.fleet(servers=3, lambda_=0.5, policies=[Sleeps])",
}
PROGRAM = """
import filch, sys, time
class Zero:
    def __init__(self, servers): pass
    def whole(self, jobs, view): return 0
class Loops(Zero):
    def whole(self, jobs, view):
        while True: pass
class Sleeps(Zero):
    def whole(self, jobs, view):
        time.sleep(10_000)
        return 0
try:
    print("begun", flush=True)
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_a_run(name):
    program = PROGRAM.format(call=LONG[name])
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        # It would take hours; the time-out only bounds a failure.
        said, _ = child.communicate(timeout=120)
    finally:
        child.kill()
    assert (child.returncode, said) == (0, "interrupted\n")
