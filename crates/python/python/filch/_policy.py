"""Dispatch policies of one's own."""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _native

__all__ = ["NativePolicy", "Policies", "Policy", "PolicyLike", "divided"]


FUNCTION: Any = getattr(ctypes, "_CFuncPtr")  # noqa: B009
"""What all function pointers of ctypes are."""


class Policy(Protocol):
    """What a policy in Python has: ``whole``, and perhaps the other two methods.

    ``split(jobs, view)`` returns pairs (server, jobs), if batches may be split; without it the
    whole batch goes where ``whole`` says. ``idle(server, view)`` is told of a server that had jobs
    and has none left. All servers are idle at first. An attribute ``messages``, if there is one,
    counts the messages that the policy has cost; an attribute ``name`` is what to call it.
    """

    def whole(self, jobs: int, view: _native.View, /) -> int:
        """The server that gets the whole batch."""
        ...


PolicyLike: TypeAlias = "str | Policy | Callable[[int], Policy] | NativePolicy"
"""A name, or a policy of one's own.

A class, or any function of the number of servers that returns a policy, is called for each run. A
policy that is there already is copied for each run.
"""
Policies: TypeAlias = "PolicyLike | Sequence[PolicyLike]"


class NativePolicy:
    """A policy behind function pointers: no decision calls Python.

    ``whole`` and ``idle`` are functions of ``numba.cfunc``, function pointers of ``cffi`` or
    ``ctypes``, or addresses. They have these signatures of C::

        int64_t whole(uint32_t jobs, const uint32_t *queues, const double *speeds,
                      uint64_t servers, uint64_t random, void *state);
        void idle(uint64_t server, void *state);

    ``random`` is a new random number for each decision. ``state`` points to a copy of the bytes of
    the array ``state``, one for each run. ``messages_each`` is what a decision costs in messages;
    each call of ``idle`` costs one.

    The functions must read the arrays below ``servers`` only, use no memory but ``state``, and
    return. filch cannot check that: a wrong function ends the process or worse.
    """

    def __init__(
        self,
        whole: Any,
        idle: Any = None,
        *,
        state: NDArray[Any] | bytes | None = None,
        messages_each: int = 0,
        name: str = "native",
    ) -> None:
        self.name = name
        # What owns the functions has to live as long as their addresses are used.
        self._owners = (whole, idle)
        content = b"" if state is None else state
        if not isinstance(content, bytes):
            content = np.ascontiguousarray(content).tobytes()
        self._pointer = _native.Pointer(
            address(whole), 0 if idle is None else address(idle), content, messages_each
        )

    def __repr__(self) -> str:
        return f"<NativePolicy {self.name}>"


def address(function: Any) -> int:
    """The address of a function."""
    if isinstance(function, int) and not isinstance(function, bool):
        return function
    if isinstance(found := getattr(function, "address", None), int):
        return found
    if isinstance(function, FUNCTION):
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    if type(function).__module__ == "_cffi_backend":
        from cffi import FFI

        return int(FFI().cast("uintptr_t", function))
    raise TypeError(
        f"{function!r} is no function pointer: pass a numba.cfunc, a pointer of cffi or ctypes, "
        "or an address"
    )


def divided(policies: Any) -> tuple[str, list[tuple[int, str, Any]]]:
    """The names, separated by commas, and the policies of one's own with their places."""
    one = isinstance(policies, str) or not isinstance(policies, (list, tuple))
    named: list[str] = []
    own: list[tuple[int, str, Any]] = []
    place = 0
    for policy in [policies] if one else policies:
        if isinstance(policy, str):
            named.append(policy)
            place += policy.count(",") + 1
        else:
            own.append((place, called(policy), maker(policy)))
            place += 1
    names = [*(name.strip() for text in named for name in text.split(",")), *(o[1] for o in own)]
    for name in {name for name in names if names.count(name) > 1 and own}:
        raise ValueError(f"two policies are called {name!r}: give one another attribute name")
    return ",".join(named), own


def called(policy: Any) -> str:
    """What to call a policy of one's own."""
    name = getattr(policy, "name", None)
    if not isinstance(name, str):
        name = getattr(policy, "__name__", None) or type(policy).__name__
    return str(name)


def maker(policy: Any) -> Any:
    """What makes a policy for a run, from the number of servers."""
    if isinstance(policy, NativePolicy):
        return policy._pointer
    if not isinstance(policy, type) and hasattr(policy, "whole"):
        return lambda _servers: copy.deepcopy(policy)
    if callable(policy):
        return policy
    raise TypeError(
        f"{policy!r} is no policy: pass a name, a class with a method whole(jobs, view), an object "
        "of one, or a filch.NativePolicy"
    )
