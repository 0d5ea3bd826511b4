"""Several prefill servers behind one name from which decode servers fetch a prompt's cache."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.selecting import selector
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.collection import Collection, PodFacts
from gpuspec.objects.objects import Object
from gpuspec.objects.transfers import Server

RULE = Rule(
    "GPU863",
    "prefill-behind-one-name",
    "warning",
    "Several prefill servers share one name, so decode servers cannot reach the right one",
)

_NOTE = "name each prefill server, such as the pods of a StatefulSet or the leaders of a LeaderWorkerSet"
# vLLM's router asks for the engines of the servers that it is told of, once.
_DISCOVERY: dict[Server, str] = {
    "sglang": ", or let the router discover them with `--service-discovery`",
    "vllm": "",
}


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield Services in a router's settings with more than one prefill server behind them."""
    for router in collection.pods:
        for prefill_address in router.prefill:
            service = _service(prefill_address.host, router.namespace, collection)
            servers_and_pod = (
                _several(service, prefill_address.server, collection)
                if service is not None
                else None
            )
            if service is None or servers_and_pod is None:
                continue
            servers, pod = servers_and_pod
            yield RawFinding(
                prefill_address.path,
                "the router tells decode servers to fetch the cache from "
                f"`{prefill_address.host}`, but Service `{service.name}` has {servers} prefill "
                f"servers: {servers - 1} of {servers} requests reach a server without the prompt's cache, and fail",
                note=_NOTE + _DISCOVERY[prefill_address.server],
                object=router.object,
                confidence="likely",
                related=(RelatedPlace(pod.object, pod.path, f"{servers} prefill servers"),),
            )


def _service(host: str, namespace: str, collection: Collection) -> Object | None:
    """Return the Service for a host name; None for names of pods and of other hosts."""
    name, _, rest = host.partition(".")
    space = rest.partition(".")[0] or namespace
    return next(
        (obj for obj in collection.of("", "Service") if (obj.name, obj.namespace) == (name, space)),
        None,
    )


def _several(
    service: Object, server: Server, collection: Collection
) -> tuple[int, PodFacts] | None:
    """Return the number of prefill servers behind a Service, if there are certainly several."""
    labels = selector(service)
    if not labels:
        return None
    pods = [
        pod
        for pod in collection.selected(service.namespace, labels).pods
        if pod.transfer is not None
        and pod.transfer.server == server
        and (pod.transfer.side == "prefill" or pod.transfer.role == "kv_producer")
    ]
    servers = sum((pod.count if pod.groups is None else pod.groups) or 0 for pod in pods)
    return (servers, pods[0]) if servers > 1 else None
