"""The systems behind a profile's `queues`: Kueue, or a scheduler with queues."""

from gpuspec.spec.profile import ClusterProfileSpec

KUEUE, VOLCANO, KAI = "kueue", "volcano", "kai-scheduler"
SCHEDULERS = (VOLCANO, KAI)
TITLES = {KUEUE: "Kueue", VOLCANO: "Volcano", KAI: "KAI"}


def queue_systems(spec: ClusterProfileSpec) -> tuple[str, ...]:
    """Return the components, by their names in `installed`, that have a queue for each one in the
    profile.

    That is Kueue if it is installed, or else the scheduler of GPU pods. Volcano is included if its
    Jobs run training, because they always name a Volcano queue.
    """
    systems = [KUEUE] if KUEUE in spec.installed else []
    if not systems and spec.scheduler in SCHEDULERS and spec.scheduler in spec.installed:
        systems = [str(spec.scheduler)]
    carried = spec.targets.gang == VOLCANO or not systems
    if carried and VOLCANO in spec.installed and VOLCANO not in systems:
        systems.append(VOLCANO)
    return tuple(systems)
