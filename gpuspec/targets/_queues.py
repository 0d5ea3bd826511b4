"""Kinds that Kueue ignores by default."""

from gpuspec.numbers import read_version
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.resolution import Resolution

SINCE = "0.19"
"""The first release of Kueue whose default configuration lists none of Kubeflow's older kinds."""


def unlisted(resolution: Resolution, kind: str, framework: str) -> list[Note]:
    """Return a loud note that a queue holds a kind back only if Kueue's configuration lists it."""
    queue = getattr(resolution.spec, "queue", None)
    kueue = resolution.profile.spec.installed.get("kueue")
    if queue is None or kueue is None or read_version(kueue) < read_version(SINCE):
        return []
    text = (
        f"Kueue queues a {kind} only if its configuration lists `{framework}`, which the "
        "default one does not: without it all pods start at once and bypass the queue"
    )
    return [Note(text, Origin("spec", ("spec", "queue")), loud=True)]
