"""filch: work distributed over threads, servers and simulated machines.

The functions are the commands of the program ``filch``, and their keywords are its flags with the
same defaults and meanings. A keyword that Python reserves has an underscore: ``lambda_``.

=================  =====================================================================
``natural``        the natural work-stealing process
``farm``           PI's dispatcher and servers, in slots (``filch dispatch``)
``fleet``          equal servers in continuous time
``dag``            a computation on simulated processors; ``measure``: in numbers
``limit``          what a process comes to with very many processors
``theory``         what the papers promise
``sweep``          a model on a grid of parameters, here or on a Dask cluster
``read_report``    the data of ``filch reproduce``
=================  =====================================================================

Errors are ``ValueError`` with the sentence that ``filch`` prints. Ctrl-C ends a run. Runs are made
on all cores with the GIL released, so several Python threads can make runs at once.
"""

from . import theory
from ._compared import Difference
from ._dag import DagResult, Measures, dag, measure
from ._farm import FarmPolicy, FarmResult, Situation, farm
from ._fleet import FleetPolicy, FleetResult, fleet
from ._limit import LimitResult, limit
from ._native import Rng, View
from ._natural import NaturalResult, natural
from ._policy import NativePolicy, Policy, PolicyLike
from ._report import Report, read_report
from ._sweep import SweepResult, sweep
from ._values import Interval, Values

__all__ = [
    "DagResult",
    "Difference",
    "FarmPolicy",
    "FarmResult",
    "FleetPolicy",
    "FleetResult",
    "Interval",
    "LimitResult",
    "Measures",
    "NativePolicy",
    "NaturalResult",
    "Policy",
    "PolicyLike",
    "Report",
    "Rng",
    "Situation",
    "SweepResult",
    "Values",
    "View",
    "dag",
    "farm",
    "fleet",
    "limit",
    "measure",
    "natural",
    "read_report",
    "sweep",
    "theory",
]
