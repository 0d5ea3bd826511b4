"""A Service that sends requests to servers that are not ready."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.selecting import services_of
from gpuspec.lint.analysis.serving.servers import answers, gpu_workers, loads_on_request, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU845",
    "unready-served",
    "warning",
    "A Service routes requests to model servers that are not ready",
    fix="unsafe",
)
_FIELD = "publishNotReadyAddresses"
# Their pods are each other's equal, and none has to be found before it is ready.
_EQUALS = (("apps", "Deployment"), ("apps", "ReplicaSet"), ("argoproj.io", "Rollout"))


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield Services with a cluster IP in front of servers with a readiness probe."""
    obj = pod.object
    if (obj.group, obj.kind) not in _EQUALS or not answers(pod):
        return
    for container in gpu_workers(pod):
        server = server_of(container)
        if server is None or loads_on_request(server) or container.probe("readiness") is None:
            continue
        for service in services_of(pod, context.collection):
            headless = service.spec.get("clusterIP") == "None"
            if headless or service.spec.get(_FIELD) is not True:
                continue
            path = service.path("spec", _FIELD)
            yield RawFinding(
                path,
                f"Service `{service.name}` sends requests to every pod of {obj.kind} "
                f"`{obj.name}`, even while the pod loads its model: the `readinessProbe` of "
                f"{server.title} has no effect",
                note="remove `publishNotReadyAddresses`, unless ranks must find each other before "
                "they are ready, behind a Service with `clusterIP: None`",
                fix=set_field(path, False),
                object=service.number,
            )
        return
