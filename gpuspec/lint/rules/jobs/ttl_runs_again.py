"""A finished Job that deletes itself, where GitOps makes it again."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.jobs import hooks_of, synced_by
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.manifests.values import at
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU726",
    "ttl-runs-again",
    "warning",
    "A Job under GitOps is deleted when finished, recreated and run again",
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield finite objects that carry the marks of a GitOps tool, and no hook's."""
    inside = obj.traits.ttl
    seconds = at(obj.value, inside)
    tool = synced_by(obj)
    if tool is None or hooks_of(obj) or "generateName" in obj.metadata:
        return
    if not isinstance(seconds, int) or isinstance(seconds, bool):
        return
    path = obj.path(*inside)
    has_gpu = any(pod.has_gpu for pod in obj.pods)
    gpus = ", with all its GPUs" if has_gpu else ""
    yield RawFinding(
        path,
        f"the {obj.kind} is deleted {seconds} s after its end, and {tool} creates it again: the "
        f"work runs again at every sync{gpus}",
        note=f"remove the finished {obj.kind} from the repository, or make it a hook",
        fix=Fix(f"remove `{path[-1]}`", (Drop(path),)),
        # Without GPUs another run costs little, and may be what is wanted.
        severity=None if has_gpu else "info",
        confidence="likely",
    )
