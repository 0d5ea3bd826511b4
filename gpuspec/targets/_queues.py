"""Kinds that Kueue leaves alone as it comes."""

from gpuspec.numbers import read_version
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.resolution import Resolution

SINCE = "0.19"
"""The first Kueue whose configuration, as it comes, lists none of Kubeflow's older kinds."""


def unlisted(resolution: Resolution, kind: str, framework: str) -> list[Note]:
    """Return a loud word that a queue holds a kind back only where Kueue's configuration lists
    it."""
    queue = getattr(resolution.spec, "queue", None)
    kueue = resolution.profile.spec.installed.get("kueue")
    if queue is None or kueue is None or read_version(kueue) < read_version(SINCE):
        return []
    text = (
        f"Kueue holds a {kind} back only when its configuration lists `{framework}`, which it does "
        "not as it comes: without it all pods start at once, past the queue"
    )
    return [Note(text, Origin("spec", ("spec", "queue")), loud=True)]
