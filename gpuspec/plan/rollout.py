"""The numbers of new and missing replicas while a new version replaces an old one."""

import msgspec

from gpuspec.enumeration import counted
from gpuspec.plan import claims
from gpuspec.plan.decision import Decision, Note, Origin
from gpuspec.plan.distribution import most_replicas
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import InferenceSpec

_PATH = ("spec", "rollout")


class Bounds(msgspec.Struct, frozen=True):
    """The limits of a rollout: a surge, or those of the spec."""

    surge: int
    unavailable: int
    reason: str
    origin: Origin

    def decision(self, value: object) -> Decision:
        """Return the decision in the form of the target."""
        return Decision(value, self.reason, self.origin)


def bounds(resolution: Resolution, spec: InferenceSpec, group: int, noun: str) -> Bounds | None:
    """Return the limits in the spec, or a surge into promised slots; None if neither exists.
    `group` is the number of pods of a replica, `noun` its name."""
    room = _room(resolution, spec, group, noun)
    surge, unavailable = spec.rollout.surge, spec.rollout.unavailable
    if surge is None and unavailable is None:
        return room
    promised = room.surge if room else 0
    if surge is None:
        surge = promised or (1 if unavailable == 0 else 0)
    if unavailable is None:
        unavailable = 0 if surge else 1
    reason = f"as the spec says: at most {counted(surge, f'new {noun}')}, and {unavailable} missing"
    field = "surge" if spec.rollout.surge is not None else "unavailable"
    return Bounds(surge, unavailable, reason, Origin("spec", (*_PATH, field)))


def notes(resolution: Resolution, spec: InferenceSpec, budget: int) -> list[Note]:
    """Return a loud note if a requested surge does not fit, and if a deadline is too short.

    `budget`: start-up seconds of one pod.
    """
    rollout_bounds = bounds(resolution, spec, spec.nodes, "pod")
    reasons: list[tuple[str, str]] = []
    if (
        rollout_bounds is not None
        and rollout_bounds.origin.path[:2] == _PATH
        and rollout_bounds.surge
    ):
        reasons += [
            (str(rollout_bounds.origin.path[2]), text)
            for text in _no_room(resolution, spec, rollout_bounds)
        ]
    deadline = spec.rollout.deadline
    if deadline is not None and spec.nodes == 1 and deadline.seconds < budget:
        text = (
            f"rollout.deadline: {deadline}: a rollout counts as failed while its pods may still "
            f"start: {budget // 60}m"
        )
        reasons.append(("deadline", text))
    if deadline is not None and spec.nodes > 1:
        reasons.append(
            ("deadline", "rollout.deadline: it has no effect on replicas of several nodes")
        )
    return [Note(text, Origin("spec", (*_PATH, field)), loud=True) for field, text in reasons]


def _no_room(resolution: Resolution, spec: InferenceSpec, rollout_bounds: Bounds) -> list[str]:
    ends = "" if rollout_bounds.unavailable else ", and the rollout stops until then"
    if (kept_claims := claims.kept(resolution, spec)) is not None:
        return [f"the old pods hold {kept_claims}: a new one waits until one of them is gone{ends}"]
    promised = _room(resolution, spec, spec.nodes, "pod")
    # Of pools that nobody has described, nobody knows what is free.
    if not resolution.pools or (promised and promised.surge >= rollout_bounds.surge):
        return []
    have = promised.surge if promised else 0
    return [
        (
            f"{counted(rollout_bounds.surge, 'replica')} may be new at a time, but the pools promise "
            f"`spare` slots for {have}: a new one stays Pending while no GPU is free{ends}"
        )
    ]


def _room(resolution: Resolution, spec: InferenceSpec, group: int, noun: str) -> Bounds | None:
    """Return a surge into slots that are promised to a whole group; None if there are none.

    None too if the old pod holds a claim that the new one needs.
    """
    if claims.kept(resolution, spec) is not None:
        return None
    if spec.warm:
        # A placeholder is a slot of just this shape, and gives way to the pod that comes.
        spare, origin = spec.warm, Origin("spec", ("spec", "warm"))
        room = f"{counted(spare, 'warm placeholder')} make room"
    else:
        giver = next((chosen for chosen in resolution.pools if chosen.pool.spare), None)
        if giver is None:
            return None
        spare = sum(chosen.pool.spare for chosen in resolution.pools)
        origin = Origin("profile", giver.path("spare"))
        room = f"the pools promise {counted(spare, 'spare slot')}"
    number = min(spare // group, most_replicas(spec))
    if not number:
        return None
    reason = f"{counted(number, f'new {noun}')} at a time, before an old one stops: {room}"
    return Bounds(number, 0, reason, origin)
