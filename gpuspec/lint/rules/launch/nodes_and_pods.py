"""A launcher that waits for another number of nodes than there are pods."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.jobs import job_specs
from gpuspec.lint.analysis.serving.servers import is_first
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at
from gpuspec.objects.launch import launch_of
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU733",
    "nodes-and-pods",
    "warning",
    "A launcher expects more or fewer nodes than there are pods",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield objects that have all the pods of a run: the launcher's nodes against their number."""
    if not pod.object.traits.whole_run or not is_first(pod):
        return
    launch = next((call for call in map(launch_of, pod.containers) if call is not None), None)
    if launch is None or launch.nodes is None or launch.least_nodes is None:
        return
    pods = _pods(pod)
    # One object for each node is a way to do it too.
    if pods is None or pods < 2:
        return
    most = launch.most_nodes or launch.least_nodes
    option_text = f"`{launch.nodes.name} {launch.nodes.value}`"
    if launch.least_nodes > pods:
        yield RawFinding(
            launch.nodes.path,
            f"{option_text} waits for {launch.least_nodes} nodes, but there are {pods} pods: "
            "unless other nodes join, the pods hold their GPUs until the rendezvous times out",
            note=f"write `{launch.nodes.name} {pods}`, or create {launch.least_nodes} pods",
            confidence="likely",
        )
    elif most < pods and most not in _parts(pod):
        yield RawFinding(
            launch.nodes.path,
            f"{option_text} accepts {most} nodes, but there are {pods} pods: the remaining pods "
            "are rejected, or wait with their GPUs",
            note=f"write `{launch.nodes.name} {pods}`, or create {most} pods",
            confidence="likely",
        )


def _parts(pod: Pod) -> set[int]:
    """Return the pods of each Job that the object makes, which may be a run of its own."""
    jobs = [job for job in job_specs(pod.object) if job.in_jobset]
    counts = {sibling.role.count or 0 for sibling in pod.object.pods if jobs}
    parallelisms = [job.value.get("parallelism", 1) for job in jobs]
    return counts | {parallelism for parallelism in parallelisms if isinstance(parallelism, int)}


def _pods(pod: Pod) -> int | None:
    """Return the pods that start a launcher, all at once."""
    owner = pod.object
    if owner.is_a("apps", "StatefulSet"):
        return pod.role.groups
    total = 0
    for sibling in owner.pods:
        if not any(launch_of(container) is not None for container in sibling.containers):
            continue
        count = sibling.role.count
        if count is None:
            return None
        total += count
    if owner.is_a("batch", "Job"):
        completions = at(owner.value, ("spec", "completions"))
        if isinstance(completions, int) and not isinstance(completions, bool):
            total = min(total, completions)
    return total
