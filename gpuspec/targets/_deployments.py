"""The rollout of servers that each have a pod of their own: Deployments, whichever controller
creates them."""

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
    held_claims = claims.kept(resolution, spec)
    if least_replicas(spec) == 1 and most_replicas(spec) == 1:
        why = (
            f"the old pod holds {held_claims}, so the only replica stops before the new one starts: "
            "the service is down for one start-up"
            if held_claims
            else "the pool promises no spare slot, so the only replica stops before the new "
            "one gets a GPU: the service is down for one start-up; set the pool's "
            "`spare` to avoid it"
        )
        return derived("rollout", {"type": "Recreate"}, why)
    value = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    why = (
        f"the old pods hold {held_claims}, so one stops before the next starts"
        if held_claims
        else "the pool promises no spare slot, so an old pod stops before a new one starts: "
        "a surge pod would stay Pending while the old pods hold the GPUs"
    )
    return derived("rollout", value, why)
