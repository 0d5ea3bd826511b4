"""Playing the kubelet: what becomes of pods, said in their status as a kubelet says it."""

from uuid import UUID

from tests.control_plane.client import Client, Object, Ref, Refused
from tests.control_plane.kueue import condition

STARTED = "2026-06-01T00:00:00Z"


def step(client: Client, namespace: str = "") -> None:
    """What kubelets would have done by now: start the pods that have a node, end those deleted."""
    for pod in client.objects(Ref("v1", "Pod", namespace=namespace)):
        if pod["spec"].get("nodeName"):
            try:
                _step(client, pod)
            except Refused as refused:
                # It is gone since we looked.
                if refused.code != 404:
                    raise


def _step(client: Client, pod: Object) -> None:
    if pod["metadata"].get("deletionTimestamp"):
        end(client, pod)
    elif pod["status"].get("phase") == "Pending":
        run(client, pod)


def run(client: Client, pod: Object, *, ready: bool = True) -> None:
    """The pod's containers run, and are ready or not yet."""
    _say(client, pod, "Running", {"running": {"startedAt": STARTED}}, ready)


def restart(client: Client, pod: Object, times: int = 1) -> None:
    """The pod's containers ended, and run again within the same pod, so many times by now."""
    _say(client, pod, "Running", {"running": {"startedAt": STARTED}}, False, restarts=times)


def succeed(client: Client, pod: Object) -> None:
    """The pod's containers ended well."""
    done = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": STARTED}}
    _say(client, pod, "Succeeded", done, False)


def fail(client: Client, pod: Object, code: int = 1, *, disrupted: bool = False) -> None:
    """The pod's containers ended with an exit code; `disrupted` if its node was taken away."""
    done = {"terminated": {"exitCode": code, "reason": "Error", "startedAt": STARTED}}
    extra = [_condition("DisruptionTarget", True, "TerminationByKubelet")] if disrupted else []
    _say(client, pod, "Failed", done, False, extra)


def end(client: Client, pod: Object) -> None:
    """The pod's deletion is over."""
    if not _over(pod):
        fail(client, pod, 137)
    client.delete(Ref.of(pod), grace=0)


def ready(pod: Object) -> bool:
    """Whether a pod is ready."""
    return condition(pod, "Ready")


def _over(pod: Object) -> bool:
    return pod["status"].get("phase") in ("Succeeded", "Failed")


def _say(
    client: Client,
    pod: Object,
    phase: str,
    state: Object,
    is_ready: bool,
    extra: list[Object] | None = None,
    restarts: int = 0,
) -> None:
    spec, address = pod["spec"], _address(pod)
    lasting = [c for c in spec.get("initContainers", ()) if c.get("restartPolicy") == "Always"]
    passing = [c for c in spec.get("initContainers", ()) if c not in lasting]
    past = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": STARTED}}
    status: Object = {
        "phase": phase,
        "startTime": STARTED,
        "podIP": address,
        "podIPs": [{"ip": address}],
        "conditions": [
            _condition("PodScheduled", True),
            _condition("Initialized", True),
            _condition("ContainersReady", is_ready),
            _condition("Ready", is_ready),
            *(extra or ()),
        ],
        "containerStatuses": [_container(c, state, is_ready, restarts) for c in spec["containers"]],
    }
    if lasting or passing:
        status["initContainerStatuses"] = [
            _container(c, past if c in passing else state, c in passing or is_ready)
            for c in spec["initContainers"]
        ]
    client.patch(Ref.of(pod), {"status": status}, part="status")


def _condition(kind: str, true: bool, reason: str = "") -> Object:
    said: Object = {
        "type": kind,
        "status": "True" if true else "False",
        "lastTransitionTime": STARTED,
    }
    return said | ({"reason": reason} if reason else {})


def _address(pod: Object) -> str:
    """An address for a pod, always the same one."""
    number = UUID(pod["metadata"]["uid"]).int
    return ".".join(("10", *(str(number >> shift & 0xFF) for shift in (16, 8, 0))))


def _container(container: Object, state: Object, is_ready: bool, restarts: int = 0) -> Object:
    return {
        "name": container["name"],
        "image": container["image"],
        "imageID": container["image"],
        "ready": is_ready,
        "started": is_ready,
        "restartCount": restarts,
        "state": state,
    }
