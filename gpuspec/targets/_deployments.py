"""How servers that each have a pod of their own roll out: Deployments, whoever makes them."""

from gpuspec.plan import claims, rollout
from gpuspec.plan.decision import Decision, derived
from gpuspec.plan.distribution import least_replicas, most_replicas
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import InferenceSpec


def strategy(resolution: Resolution, spec: InferenceSpec) -> Decision:
    """Return the requested strategy; else a surge if a slot is promised; else one that stops a
    pod first, so that nothing deadlocks."""
    bounds = rollout.bounds(resolution, spec, 1, "pod")
    if bounds is not None:
        rolling = {"maxSurge": bounds.surge, "maxUnavailable": bounds.unavailable}
        return bounds.decision({"type": "RollingUpdate", "rollingUpdate": rolling})
    held = claims.kept(resolution, spec)
    if least_replicas(spec) == 1 and most_replicas(spec) == 1:
        why = (
            f"the old pod holds {held}, so the only replica must go before the new one comes: "
            "a gap of one start-up"
            if held
            else "no spare slot is promised, so the only replica must go before the new one finds a "
            "GPU: a gap of one start-up; promise a slot with the pool's `spare` to avoid it"
        )
        return derived("rollout", {"type": "Recreate"}, why)
    value = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    why = (
        f"the old pods hold {held}, so one goes before the next comes"
        if held
        else "no spare slot is promised, so one pod makes room for the next: a surge pod would pend "
        "while the old ones hold the GPUs"
    )
    return derived("rollout", value, why)
