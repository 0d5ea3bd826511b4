"""One process of plain Python in a pod with several GPUs of a distributed job."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at
from gpuspec.objects.launch import drives_one, launch_of
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU734",
    "one-process",
    "warning",
    "A multi-GPU training pod starts only one process",
)
# They start processes of their own, as model servers do.
_FRAMEWORKS = ("lightning", "fabric", "ray", "axolotl", "llamafactory", "swift", "nemo")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods told how many processes torchrun starts, whose command is Python and a script."""
    owner, others = pod.object, (*_FRAMEWORKS, *runtimes.programs())
    if not owner.traits.processes or (owner.flat and pod.base[-1:] != ("trainer",)):
        return
    for container in pod.containers:
        words = container.words.all
        if (
            container.gpus < 2
            or not drives_one(container)
            or not words
            or launch_of(container) is not None
        ):
            continue
        first = words[0]
        if first.text.rpartition("/")[2].rstrip("0123456789.") != "python":
            continue
        script = any(word.text.endswith(".py") or word.text == "-m" for word in words)
        if not script or any(name in word.text.lower() for word in words for name in others):
            continue
        nproc_per_node = at(owner.value, ("spec", "nprocPerNode"))
        also = (
            f" (`nprocPerNode: {nproc_per_node}` affects only torchrun, which is not started)"
            if nproc_per_node
            else ""
        )
        yield RawFinding(
            first.path,
            f"one process starts for {container.gpus} GPUs{also}: {container.gpus - 1} GPUs sit "
            "idle unless the script itself starts more processes",
            note="use `torchrun` instead of `python`: it starts a process for each GPU",
            confidence="likely",
        )
