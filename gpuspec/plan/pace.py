"""How fast the number of replicas changes, and between which bounds."""

from typing import Any

from gpuspec.plan.decision import Decision, derived, from_spec
from gpuspec.plan.signals import PATH
from gpuspec.spec import InferenceSpec, Replicas

# A replica takes minutes to load and is missed for as long: it goes only after ten quiet minutes,
# and one at a time.
SCALE_UP = {"window": 60, "period": 60}
SCALE_DOWN = {"window": 600, "period": 300}


def bound(replicas: Replicas, end: str) -> Decision:
    """Return the fewest or the most replicas: `min` or `max`."""
    number = getattr(replicas, end)
    if not number:
        return from_spec((*PATH, end), number, "none without requests")
    return from_spec((*PATH, end), number, "fewest replicas" if end == "min" else "most replicas")


def served(spec: InferenceSpec, budget: int) -> int:
    """Return the seconds that pass without a request before the last replica goes.

    The metric may be of requests that arrive: who was counted last has to find a server that is ready,
    and to be answered. `budget`: start-up seconds of one pod.
    """
    return max(SCALE_DOWN["window"], budget + spec.longest_request.seconds)


def behavior(quiet: int = SCALE_DOWN["window"]) -> Decision:
    """Return how fast the number changes: `quiet` are the seconds that pass before it goes down."""

    def one_at_a_time(window: int, period: int) -> dict[str, Any]:
        policy = {"type": "Pods", "value": 1, "periodSeconds": period}
        return {"stabilizationWindowSeconds": window, "policies": [policy]}

    value = {
        "scaleUp": one_at_a_time(SCALE_UP["window"], SCALE_UP["period"]),
        "scaleDown": one_at_a_time(quiet, SCALE_DOWN["period"]),
    }
    return derived("autoscaling", value, "one pod at a time: a replica takes minutes to load")
