"""Policies of one's own: in Python, and behind function pointers."""

from __future__ import annotations

import traceback

import filch
import numpy as np
import pytest

FARM = {"servers": "slow=5@1,fast=5@4", "load": 0.3, "slots": 3000}
FLEET = {"servers": 10, "lambda_": 0.6, "time": 50, "replications": 4}


class RoundRobin:
    """As the policy of filch with this name decides."""

    name = "mine"

    def __init__(self, servers):
        self.servers, self.next = servers, 0

    def whole(self, jobs, view):
        server, self.next = self.next, (self.next + 1) % self.servers
        return server

    def split(self, jobs, view):
        shares = {}
        for _ in range(jobs):
            server = self.whole(1, view)
            shares[server] = shares.get(server, 0) + 1
        return shares.items()


class Persistent:
    """PI with the newest token first, which needs all that a policy is told."""

    def __init__(self, servers):
        self.tokens, self.last, self.messages = list(range(servers)), 0, 0

    def whole(self, jobs, view):
        if self.tokens:
            self.last = self.tokens.pop()
        return self.last

    def idle(self, server, view):
        assert view.queues[server] == 0
        self.tokens.append(server)
        self.messages += 1


class Shorter:
    """The shorter of two random queues."""

    def __init__(self, servers):
        assert servers == 10

    def whole(self, jobs, view):
        first, second = view.rng.sample(view.servers, 2)
        return first if view.queues[first] <= view.queues[second] else second


@pytest.mark.parametrize("batches", [{}, {"split": True}])
def test_the_same_decisions_give_the_same_run(batches):
    result = filch.farm(**FARM, **batches, policy=["round-robin", RoundRobin, "jsq"])
    theirs, mine = result["round-robin"], result["mine"]
    assert [p.policy for p in result.situations[0].policies] == ["round-robin", "mine", "jsq"]
    assert (theirs.trajectory == mine.trajectory).all()
    assert (theirs.completion_jobs == mine.completion_jobs).all()
    assert theirs.mean_total_queue == mine.mean_total_queue
    difference = result.difference("mine", "round-robin")
    assert (difference.difference, difference.ci95) == (0, (0, 0))
    fleet = filch.fleet(**FLEET, policies=[RoundRobin, "round-robin"])
    assert (fleet["mine"].times == fleet["round-robin"].times).all()
    assert fleet.difference("round-robin", "mine").difference == 0


def test_a_policy_hears_of_idle_servers():
    """Against PI, which takes tokens in random order: the same messages, about the same queues."""
    farm = filch.farm(servers="all=10@3", load=0.7, slots=20_000, policy=["pi", Persistent])
    pi, mine = farm["pi"], farm["Persistent"]
    assert mine.verdict == "stable"
    assert mine.messages_per_slot == pytest.approx(pi.messages_per_slot, rel=0.05)
    assert mine.mean_total_queue == pytest.approx(pi.mean_total_queue, rel=0.1)
    assert filch.fleet(**FLEET, policies=Persistent)["Persistent"].stopped_runs == 0


def test_random_choices_come_from_the_seed():
    runs = [filch.farm(**FARM, policy=[Shorter], seed=seed)["Shorter"] for seed in (1, 1, 2)]
    assert (runs[0].trajectory == runs[1].trajectory).all()
    assert (runs[0].trajectory != runs[2].trajectory).any()
    # jsq:2 has the same law. 8 runs each; four times the half-width of the difference is a chance
    # below 1 in 1000 with 7 degrees of freedom, and the seed is fixed.
    fleet = filch.fleet(
        servers=10, lambda_=0.8, time=400, policies=["jsq:2", "random", Shorter], replications=8
    )
    same = fleet.difference("Shorter", "jsq:2")
    assert abs(same.difference) < 4 * (same.ci95.high - same.ci95.low) / 2
    assert fleet.difference("Shorter", "random").ci95.high < 0


def test_random_numbers_are_uniform():
    class Asks:
        def __init__(self, servers):
            pass

        def whole(self, jobs, view):
            for _ in range(50):
                below.append(view.rng.below(10))
                reals.append(view.rng.random())
                sampled.append(tuple(view.rng.sample(4, 2)))
            return 0

    below, reals, sampled = [], [], []
    filch.farm(servers="all=2@100", load=0.5, slots=200, policy=[Asks])
    count = len(below)
    assert count > 5000
    # Chi-square with 9 and 11 degrees of freedom: a chance of 1e-4 each, and the seed is fixed.
    for values, kinds, most in ((below, 10, 33.7), (sampled, 12, 37.4)):
        counts = np.unique(np.array(values), axis=0, return_counts=True)[1]
        assert len(counts) == kinds
        assert ((counts - count / kinds) ** 2 / (count / kinds)).sum() < most
    assert abs(np.mean(reals) - 0.5) < 4 / np.sqrt(12 * count)
    assert min(reals) >= 0 and max(reals) < 1


def test_an_object_is_copied_for_each_run():
    mine = RoundRobin(10)
    once = filch.farm(**FARM, policy=mine)["mine"]
    assert mine.next == 0
    assert (filch.farm(**FARM, policy=[mine])["mine"].trajectory == once.trajectory).all()


class Raises(RoundRobin):
    name = "raises"
    decisions = 0

    def whole(self, jobs, view):
        self.decisions += 1
        if self.decisions == 1000:
            raise ZeroDivisionError("on purpose")
        return super().whole(jobs, view)


@pytest.mark.parametrize(("run", "keywords"), [(filch.farm, FARM), (filch.fleet, FLEET)])
def test_a_policy_that_raises_ends_the_run_with_its_traceback(run, keywords):
    name = "policy" if run is filch.farm else "policies"
    with pytest.raises(ZeroDivisionError, match="on purpose") as raised:
        if run is filch.fleet:
            keywords = {**keywords, "time": 2000}
        run(**keywords, **{name: ["random", RoundRobin, Raises, "jsq:2"]})
    frames = traceback.extract_tb(raised.tb)
    assert frames[-1].name == "whole" and frames[-1].filename == __file__
    # What was done before is there, and is what a run without the policy finds.
    done = raised.value.done
    rest = run(**keywords, **{name: ["random", RoundRobin, "jsq:2"]})
    assert done.answer == rest.answer


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (None, TypeError, "whole() returned None: return the number of a server, 0 to 9"),
        ("3", TypeError, "whole() returned '3': return the number of a server, 0 to 9"),
        (1.5, TypeError, "whole() returned 1.5: return the number of a server, 0 to 9"),
        (10, ValueError, "whole() returned 10, and there is no such server: return the number"),
        (-1, ValueError, "whole() returned -1, and there is no such server: return the number"),
        (2**70, ValueError, f"whole() returned {2**70}, and there is no such server"),
    ],
)
@pytest.mark.parametrize("run", [filch.farm, filch.fleet])
def test_nonsense_is_refused(run, answer, error, sentence):
    class Nonsense:
        def __init__(self, servers):
            pass

        def whole(self, jobs, view):
            return answer

    with pytest.raises(error) as refused:
        if run is filch.farm:
            filch.farm(**FARM, policy=[Nonsense])
        else:
            filch.fleet(**FLEET, policies=[Nonsense])
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("answer", "error", "sentence"),
    [
        (lambda jobs: None, TypeError, "split() returned None: return pairs (server, jobs)"),
        (lambda jobs: [1, 2], TypeError, "split() returned [1, 2]: return pairs (server, jobs)"),
        (lambda jobs: [(0, -1)], TypeError, "split() returned [(0, -1)]: return pairs"),
        (lambda jobs: [(10, jobs)], ValueError, "split() returned 10, and there is no such server"),
        (lambda jobs: [(0, jobs - 1)], ValueError, "split() gave away "),
        (lambda jobs: [(0, jobs), (1, 1)], ValueError, "split() gave away more than all of "),
    ],
)
def test_a_split_that_makes_no_sense_is_refused(answer, error, sentence):
    class Nonsense(RoundRobin):
        def split(self, jobs, view):
            return answer(jobs)

    with pytest.raises(error) as refused:
        filch.farm(**FARM, split=True, policy=[Nonsense])
    assert str(refused.value).startswith(sentence)


def test_what_is_no_policy_is_refused():
    with pytest.raises(TypeError, match="3 is no policy: pass a name"):
        filch.farm(**FARM, policy=[3])
    with pytest.raises(TypeError, match="is no policy: it has no method whole"):
        filch.farm(**FARM, policy=[lambda servers: object()])
    with pytest.raises(ValueError, match="two policies are called 'mine'"):
        filch.farm(**FARM, policy=[RoundRobin, RoundRobin])
    with pytest.raises(ZeroDivisionError):
        filch.farm(**FARM, policy=[lambda servers: 1 / 0])

    class Miscounts(RoundRobin):
        messages = "many"

    with pytest.raises(TypeError, match="the attribute messages is 'many'"):
        filch.farm(**FARM, policy=[Miscounts])
    with pytest.raises(TypeError, match="is no function pointer"):
        filch.NativePolicy(len)
    with pytest.raises(ValueError, match="not 0"):
        filch.NativePolicy(0)


SIGNATURE = "int64_t(uint32_t, const uint32_t *, const double *, uint64_t, uint64_t, void *)"


def native_round_robin():
    """Round-robin in machine code, by numba."""
    numba = pytest.importorskip("numba")
    types = numba.types
    pointer = types.CPointer
    signature = types.int64(
        types.uint32,
        pointer(types.uint32),
        pointer(types.float64),
        types.uint64,
        types.uint64,
        pointer(types.uint64),
    )

    @numba.cfunc(signature)
    def whole(jobs, queues, speeds, servers, random, state):
        server = state[0]
        state[0] = (server + numba.uint64(1)) % servers
        return numba.int64(server)

    return whole


def test_function_pointers_of_numba():
    state = np.zeros(1, np.uint64)
    mine = filch.NativePolicy(native_round_robin(), state=state, name="mine")
    farm = filch.farm(**FARM, policy=["round-robin", mine])
    assert (farm["round-robin"].trajectory == farm["mine"].trajectory).all()
    assert farm.difference("mine", "round-robin").difference == 0
    fleet = filch.fleet(**FLEET, policies=[mine, "round-robin"], threads=2)
    assert (fleet["mine"].times == fleet["round-robin"].times).all()
    assert state[0] == 0, "each run has a copy"


def test_function_pointers_of_cffi_and_ctypes():
    import ctypes

    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()

    def shortest(jobs, queues, speeds, servers, random, state):
        return min(range(servers), key=lambda server: queues[server])

    def forget(server, state):
        told.append(server)

    told = []
    by_cffi = ffi.callback(SIGNATURE)(shortest)
    idle = ffi.callback("void(uint64_t, void *)")(forget)
    u32, f64 = ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(ctypes.c_double)
    kind = ctypes.CFUNCTYPE(
        ctypes.c_int64,
        ctypes.c_uint32,
        u32,
        f64,
        ctypes.c_uint64,
        ctypes.c_uint64,
        ctypes.c_void_p,
    )

    class Shortest(RoundRobin):
        name = "plain"

        def whole(self, jobs, view):
            return shortest(jobs, view.queues, view.speeds, view.servers, 0, None)

    runs = filch.farm(
        **FARM,
        policy=[
            Shortest,
            filch.NativePolicy(by_cffi, idle, messages_each=2, name="cffi"),
            filch.NativePolicy(kind(shortest), name="ctypes"),
        ],
    )
    for name in ("cffi", "ctypes"):
        assert (runs[name].trajectory == runs["plain"].trajectory).all()
    batches = runs["plain"]
    assert batches.messages_per_slot == runs["ctypes"].messages_per_slot == 0
    slots = FARM["slots"]
    # Two for each batch, and one for each server that fell idle.
    assert runs["cffi"].messages_per_slot * slots > len(told) > 0


def test_a_pointer_that_returns_nonsense_is_refused():
    cffi = pytest.importorskip("cffi")
    minus = cffi.FFI().callback(SIGNATURE)(lambda *_: -1)
    for run in (
        lambda policy: filch.farm(**FARM, policy=["random", policy]),
        lambda policy: filch.fleet(**FLEET, policies=["random", policy]),
    ):
        with pytest.raises(ValueError, match="whole.. returned -1, and there is no") as refused:
            run(filch.NativePolicy(minus))
        assert "random" in repr(refused.value.done)
