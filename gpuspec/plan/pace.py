"""How fast an autoscaler changes the number of replicas, and its limits."""

from typing import Any

from gpuspec.plan.decision import Decision, derived, from_spec
from gpuspec.plan.signals import PATH
from gpuspec.spec import InferenceSpec, Replicas

# A replica takes minutes to load and is missed for as long: it goes only after ten quiet minutes,
# and one at a time.
SCALE_UP = {"window": 60, "period": 60}
SCALE_DOWN = {"window": 600, "period": 300}


def bound(replicas: Replicas, end: str) -> Decision:
    """Return the smallest or the largest number of replicas: `min` or `max`."""
    number = getattr(replicas, end)
    if not number:
        return from_spec((*PATH, end), number, "none without requests")
    return from_spec((*PATH, end), number, "fewest replicas" if end == "min" else "most replicas")


def served(spec: InferenceSpec, budget: int) -> int:
    """Return the seconds without a request after which the last replica is removed.

    The metric may count arriving requests: a client whose request was counted last must find a
    ready server, and get its answer. `budget`: start-up seconds of one pod.
    """
    return max(SCALE_DOWN["window"], budget + spec.longest_request.seconds)


def behavior(quiet: int = SCALE_DOWN["window"]) -> Decision:
    """Return the scaling behaviour; `quiet` are the seconds before the number decreases."""

    def one_at_a_time(window: int, period: int) -> dict[str, Any]:
        policy = {"type": "Pods", "value": 1, "periodSeconds": period}
        return {"stabilizationWindowSeconds": window, "policies": [policy]}

    value = {
        "scaleUp": one_at_a_time(SCALE_UP["window"], SCALE_UP["period"]),
        "scaleDown": one_at_a_time(quiet, SCALE_DOWN["period"]),
    }
    return derived("autoscaling", value, "one pod at a time: a replica takes minutes to load")
