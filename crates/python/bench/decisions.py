"""What a decision costs: a policy with a name, the same in Python, and behind a function pointer.

    python crates/python/bench/decisions.py

All three make the same decisions (round-robin) in the same farm, so the differences of their times
over the number of decisions are the costs. The least of several times counts.
"""

from __future__ import annotations

import os
import time
from typing import Any

import filch
import numba
import numpy as np

ROUNDS = int(os.environ.get("ROUNDS", "3"))
SLOTS = 100_000


class RoundRobin:
    """Every server in turn."""

    def __init__(self, servers: int) -> None:
        self.servers, self.next = servers, 0

    def whole(self, jobs: int, view: filch.View) -> int:
        server = self.next
        self.next = (server + 1) % self.servers
        return server


class Hears(RoundRobin):
    """The same, told of servers that fall idle."""

    def idle(self, server: int, view: filch.View) -> None:
        pass


def native() -> filch.NativePolicy:
    """The same in machine code."""
    of = numba.types
    signature = of.int64(
        of.uint32,
        of.CPointer(of.uint32),
        of.CPointer(of.float64),
        of.uint64,
        of.uint64,
        of.CPointer(of.uint64),
    )

    @numba.cfunc(signature)  # type: ignore[untyped-decorator]
    def whole(jobs: Any, queues: Any, speeds: Any, servers: Any, random: Any, state: Any) -> Any:
        server = state[0]
        state[0] = (server + numba.uint64(1)) % servers
        return numba.int64(server)

    return filch.NativePolicy(whole, state=np.zeros(1, np.uint64))


def least(policy: Any, servers: int) -> float:
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        filch.farm(servers=f"all={servers}@20", load=0.5, slots=SLOTS, policy=[policy], threads=1)
        times.append(time.perf_counter() - begun)
    return min(times)


def main() -> None:
    # A slot of such a farm has a batch, but for a chance of exp(-10·servers).
    print("servers,policy,ns_per_decision_beyond_the_named_policy")
    for servers in (10, 100, 1000):
        named = least("round-robin", servers)
        for name, policy in (("Python", RoundRobin), ("with idle", Hears), ("pointer", native())):
            more = (least(policy, servers) - named) / SLOTS
            print(f"{servers},{name},{more * 1e9:.0f}")


if __name__ == "__main__":
    main()
