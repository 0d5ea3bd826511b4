"""Whose queues a profile's `queues` are: Kueue's, or those of a scheduler that has queues."""

from gpuspec.spec.profile import ClusterProfileSpec

KUEUE, VOLCANO, KAI = "kueue", "volcano", "kai-scheduler"
SCHEDULERS = (VOLCANO, KAI)
TITLES = {KUEUE: "Kueue", VOLCANO: "Volcano", KAI: "KAI"}


def queue_systems(spec: ClusterProfileSpec) -> tuple[str, ...]:
    """Return the components, as `installed` names them, that have a queue of each of the profile's.

    Kueue's wherever it is installed, else those of the scheduler of GPU pods. Volcano's too where its
    Jobs carry training: these name a queue of Volcano, whatever else is there.
    """
    systems = [KUEUE] if KUEUE in spec.installed else []
    if not systems and spec.scheduler in SCHEDULERS and spec.scheduler in spec.installed:
        systems = [str(spec.scheduler)]
    carried = spec.targets.gang == VOLCANO or not systems
    if carried and VOLCANO in spec.installed and VOLCANO not in systems:
        systems.append(VOLCANO)
    return tuple(systems)
