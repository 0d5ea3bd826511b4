"""NetworkPolicies between a pod and a Service that it calls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from gpuspec.lint.analysis.gangs.policies import Direction, PolicySelection, isolating, lets, may_be
from gpuspec.lint.analysis.network.addresses import addresses, service_at
from gpuspec.lint.analysis.network.callers import has_other_policies, port_of, service_port
from gpuspec.lint.analysis.serving.selecting import keeps_labels, selector
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import whole
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU858",
    "service-shut-off",
    "warning",
    "A NetworkPolicy blocks a pod from a Service that it calls",
    gives_way=("GPU428", "GPU765", "GPU948"),
)
_FIELD: dict[Direction, str] = {"Ingress": "ingress", "Egress": "egress"}


class _ServiceCall(msgspec.Struct, frozen=True):
    """A Service that a pod calls, the port, and the path of the address."""

    service: Object
    port: dict[str, Any]
    path: Path


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield addresses of Services of the set, and the policies of either side."""
    collection = context.collection
    if ("networking.k8s.io", "NetworkPolicy") not in collection.kinds:
        return
    if pod.spec.get("hostNetwork") is True or has_other_policies(collection):
        return
    traits = pod.object.traits
    is_known = pod.metadata_path is not None and (traits.as_written or traits.name == "DaemonSet")
    caller = PolicySelection(pod.object.namespace, pod.labels, is_known)
    reported: set[tuple[int, int | None]] = set()
    for called in _asked(pod, collection):
        key = called.service.number, whole(called.port.get("port"))
        if key in reported or selector(called.service).items() <= pod.labels.items():
            continue
        reported.add(key)
        yield from _closed(called, caller, pod, collection)


def _closed(
    asked: _ServiceCall, caller: PolicySelection, pod: Pod, collection: Collection
) -> Iterator[RawFinding]:
    service = asked.service
    target = PolicySelection(service.namespace, selector(service), known=False)
    sides: tuple[tuple[Direction, PolicySelection, str], ...] = (
        ("Ingress", target, f"`from` has the labels of `{pod.object.name}`"),
        ("Egress", caller, f"`to` has the labels of the pods behind `{service.name}`"),
    )
    for direction, isolated, peer in sides:
        policies = [
            obj
            for obj in isolating(isolated, direction, collection)
            if obj.namespace or obj.file == service.file == pod.object.file
        ]
        if policies:
            policy = policies[0]
            number = asked.port.get("port")
            yield RawFinding(
                policy.path("spec", _FIELD[direction]),
                f"{pod.object.kind} `{pod.object.name}` calls port {number} of Service "
                f"`{service.name}`, but `{_FIELD[direction]}` of the policy does not allow it: "
                "each connection times out",
                note=f"add to `{_FIELD[direction]}` an entry whose {peer}, and whose `ports` has "
                "the port of the pods behind the Service (`targetPort`)",
                object=policy.number,
                confidence="likely",
                related=(
                    RelatedPlace(pod.object.number, asked.path, "names the Service"),
                    RelatedPlace(
                        service.number,
                        service.path("spec", "selector"),
                        "the policy applies to these pods",
                    ),
                ),
                unless=partial(_lets, asked, caller, direction),
            )


def _lets(
    asked: _ServiceCall, caller: PolicySelection, direction: Direction, collection: Collection
) -> bool:
    """Return whether the caller may reach a pod of the Service, once all pods are there."""
    pods = collection.selected(asked.service.namespace, selector(asked.service)).pods
    if not pods or any(pod.host_network for pod in pods):
        return True
    for pod in pods:
        target = PolicySelection(pod.namespace, pod.labels, keeps_labels(pod))
        isolated, opposite = (target, caller) if direction == "Ingress" else (caller, target)
        if lets(
            isolated,
            direction,
            partial(may_be, selected=opposite),
            port_of(pod, asked.port),
            collection,
        ):
            return True
    return False


def _asked(pod: Pod, collection: Collection) -> Iterator[_ServiceCall]:
    for address in addresses(pod):
        service = service_at(address.host, pod, collection)
        number = address.port
        port = None if service is None or not number else service_port(service, number)
        if service is not None and port is not None and selector(service):
            yield _ServiceCall(service, port, address.path)
