"""What kube-scheduler does: its filters, its words, its scores."""

__all__ = [
    "POLICIES",
    "Beside",
    "Board",
    "Candidate",
    "Pile",
    "Placed",
    "Placer",
    "Policy",
    "Preemption",
    "Priority",
    "Refusal",
    "Shape",
    "Sieve",
    "Snapshot",
    "Verdict",
    "beside_of",
    "feasible",
    "message",
    "piles",
    "preempt",
    "shape_of",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.beside import Beside, beside_of
    from gpuspec.fleet.scheduler.board import Board
    from gpuspec.fleet.scheduler.placing import Placer
    from gpuspec.fleet.scheduler.preemption import Candidate, Preemption, preempt
    from gpuspec.fleet.scheduler.scoring import POLICIES, Policy
    from gpuspec.fleet.scheduler.shape import Priority, Shape, shape_of
    from gpuspec.fleet.scheduler.sieve import Sieve
    from gpuspec.fleet.scheduler.snapshot import Placed, Snapshot
    from gpuspec.fleet.scheduler.verdict import Pile, Refusal, Verdict, feasible, piles
    from gpuspec.fleet.scheduler.words import message

_HOMES = {
    "POLICIES": "scoring",
    "Beside": "beside",
    "Board": "board",
    "Candidate": "preemption",
    "Pile": "verdict",
    "Placed": "snapshot",
    "Placer": "placing",
    "Policy": "scoring",
    "Preemption": "preemption",
    "Priority": "shape",
    "Refusal": "verdict",
    "Shape": "shape",
    "Sieve": "sieve",
    "Snapshot": "snapshot",
    "Verdict": "verdict",
    "beside_of": "beside",
    "feasible": "verdict",
    "message": "words",
    "piles": "verdict",
    "preempt": "preemption",
    "shape_of": "shape",
}


def __getattr__(name: str) -> object:
    """Each name is imported when it is asked for."""
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"gpuspec.fleet.scheduler.{_HOMES[name]}"), name)
