"""A Ray worker that joins its head without waiting for it, although its exit stops other pods too."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.command_line import ArgumentWord
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU761",
    "joins-once",
    "warning",
    "A Ray worker does not wait for the head, and its failure ends the group",
)
_WAITS = ("until", "while", "for", "health-check", "sleep", "wait", "nc", "timeout")
_RETRIES = "RAY_NUM_REDIS_GET_RETRIES"
_LWS = "LeaderWorkerSet"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield workers that no operator of Ray's makes: KubeRay has them wait."""
    if items(pod.spec.get("initContainers")) or not _falls_together(pod.object):
        return
    for container in pod.gpu_containers:
        address = _joins(container)
        if address is None or _RETRIES in container.env or container.value.get("envFrom"):
            continue
        yield RawFinding(
            address.path,
            "`ray start --address` exits if the head is not up within about two minutes: "
            f"{_then(pod.object)}",
            note=(
                "wait for the head first: `until ray health-check --address ADDRESS; do sleep 5; "
                "done`"
            ),
            confidence="likely",
        )


def _joins(container: PodContainer) -> ArgumentWord | None:
    """Return the word `ray` of a command line that joins a cluster and does nothing before."""
    words = container.words
    ray = words.has("ray")
    joins = ray is not None and words.has("start") is not None and words.flag("--address")
    if not joins or words.flag("--head") is not None or words.has(*_WAITS) is not None:
        return None
    return ray


def _falls_together(owner: Object) -> bool:
    """Return whether the end of one of its containers is more than a restart of that container."""
    if owner.kind != _LWS:
        return True
    template = mapping(owner.spec.get("leaderWorkerTemplate"))
    policy = template.get("restartPolicy", "RecreateGroupOnPodRestart")
    if owner.spec.get("startupPolicy") == "LeaderReady":
        return False
    return policy in ("RecreateGroupOnPodRestart", "Default")


def _then(owner: Object) -> str:
    if owner.kind == _LWS:
        return "the group is recreated, and every GPU loads its weights again"
    return (
        "the run counts the exit as a failure, even if the head only takes long to pull its image"
    )
