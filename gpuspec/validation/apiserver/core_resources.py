"""Requests and limits of containers and pods: names of resources, amounts, claims.

Source: k8s.io/kubernetes, pkg/apis/core/validation/validation.go, `validateResourceRequirements`,
`validatePodResources`; k8s.io/component-helpers, resource/helpers.go.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.manifests import Quantity
from gpuspec.numbers import is_digits
from gpuspec.validation.apiserver.reading import amount, inner, maps, or_zero, refused
from gpuspec.validation.apiserver.resources import PAGES, is_extended, of_containers
from gpuspec.validation.violation import placed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_COMPUTE = ("cpu", "memory")


class Resource(NamedTuple):
    """The server's rules for a resource, by its name."""

    fault: str | None
    """Why the server refuses the name."""
    extended: bool
    """Whether only whole amounts are allowed."""
    page: Quantity | None
    """The size of one page, for huge pages."""
    pages: bool
    """Whether it is an extended resource or huge pages."""

    @property
    def exact(self) -> bool:
        """Whether the request must equal the limit."""
        return self.extended or self.pages


@lru_cache(1024)
def resource(name: str) -> Resource:
    """Return the rules for a resource of a container."""
    pages = name.startswith(PAGES)
    page = amount(name.removeprefix(PAGES)) if pages else None
    return Resource(of_containers(name), is_extended(name), page, pages)


def of_container(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the requests and limits of a container."""
    resources = value.get("resources")
    if resources:
        for requirement in _requirements(resources, resource):
            yield placed(("resources",), requirement)


def overhead(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the overhead of a pod."""
    if spec.get("overhead"):
        for requirement in _requirements({"limits": spec["overhead"]}, resource):
            yield refused(("overhead", *requirement.path[1:]), requirement.message)


def _requirements(
    requirements: Map, resource_of: Callable[[str], Resource]
) -> Iterator[SchemaViolation]:
    limits, requests = requirements.get("limits") or {}, requirements.get("requests") or {}
    pages = compute = False
    for field, amounts in (("limits", limits), ("requests", requests)):
        for name, quantity in amounts.items():
            kind = resource_of(name)
            pages |= kind.pages
            compute |= name in _COMPUTE
            if field == "requests" and name in limits and limits[name] == quantity:
                continue  # which is said of the limit
            if kind.fault is not None:
                yield refused((field, name), kind.fault)
            if fault := _amount(kind, quantity):
                yield refused((field, name), fault)
    for name, request in requests.items():
        kind = resource_of(name)
        if name not in limits:
            if kind.exact:
                yield refused(
                    ("requests", name),
                    "`limits` lacks this resource, which cannot be overcommitted",
                    lacking=True,
                )
        elif request != limits[name] and (fault := _above(kind, name, request, limits[name])):
            yield refused(("requests",), fault)
    if pages and not compute:
        message = "huge pages need a request or a limit of `cpu` or `memory`"
        yield refused((), message, lacking=True)


def _amount(kind: Resource, written: Any) -> str | None:
    """Return why the server refuses an amount of a resource."""
    if _is_plain(kind, written):
        return None
    quantity = or_zero(written)
    if quantity is None:
        return None
    if quantity < 0:
        return "the amount is below 0"
    if kind.extended and quantity.milli_value % 1000:
        return "devices are counted whole: a part of a device cannot be requested"
    if kind.pages and not _is_of_pages(kind.page, quantity):
        return "the amount is not a multiple of the page's size"
    return None


def _is_plain(kind: Resource, quantity: Any) -> bool:
    """Return whether an amount is valid at first sight, without parsing."""
    if kind.pages:
        return False
    if type(quantity) is str:
        return is_digits(quantity if kind.extended else quantity[:1])
    return type(quantity) is int and quantity >= 0


def _is_of_pages(page: Quantity | None, quantity: Quantity) -> bool:
    if page is None or page <= 0 or page.milli_value % 1000:
        return False
    return quantity.int_value % page.int_value == 0


def _above(kind: Resource, name: str, request: Any, limit: Any) -> str | None:
    quantity, most = or_zero(request), or_zero(limit)
    if quantity is None or most is None or quantity == most:
        return None
    if kind.exact:
        return f"`{name}: {quantity}` must equal its limit, {most}"
    return f"`{name}: {quantity}` is above its limit, {most}" if quantity > most else None


def claims(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that containers use claims of the pod, each once."""
    names = {resource_claim.get("name") for _, resource_claim in maps(spec, "resourceClaims")}
    for field in ("containers", "initContainers"):
        for index, container in maps(spec, field):
            container_claims = (container.get("resources") or {}).get("claims")
            if container_claims:
                for violation in _claimed(container["resources"], names):
                    yield placed((field, index, "resources", "claims"), violation)


def _claimed(asked: Map, names: set[Any]) -> Iterator[SchemaViolation]:
    claims_seen: set[tuple[str, str]] = set()
    for number, claim in maps(asked, "claims"):
        name, request = claim.get("name"), claim.get("request") or ""
        if not name:
            continue
        whole = (name, "") in claims_seen
        if (
            whole
            or (name, request) in claims_seen
            or (not request and any(name == n for n, _ in claims_seen))
        ):
            yield refused((number,), f"another entry uses claim `{name}` too")
        if not whole:
            claims_seen.add((name, request))
        if name not in names:
            message = f"the pod has no claim `{name}` in `resourceClaims`"
            yield refused((number,), message, lacking=True)


def of_pod(pod: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the pod-level resources are enough for its containers."""
    yield from _of_all(pod, defaulted=True)


def of_template(template: Map, version: str) -> Iterator[SchemaViolation]:
    """Check like `of_pod`: a template's requests are filled in when a pod is created from it."""
    yield from _of_all(template, defaulted=False)


def _of_all(pod: Map, *, defaulted: bool) -> Iterator[SchemaViolation]:
    spec = pod.get("spec") or {}
    resources = spec.get("resources")
    if not resources:
        return
    path = ("spec", "resources")
    if inner(spec, "os").get("name") == "windows":
        yield refused(path, "a pod on Windows cannot have pod-level resources")
        return
    if resources.get("claims") is not None:
        yield refused((*path, "claims"), "only containers can have claims, not the pod")
    for requirement in _requirements(resources, _whole):
        yield placed(path, requirement)
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name in requests if not defaulted else {**requests, **limits}:
        kind, most = ("requests", requests) if name in requests else ("limits", limits)
        most_amount = or_zero(most[name])
        needed = _together(spec, "requests", name, defaulted=defaulted)
        if most_amount is not None and needed > most_amount:
            yield refused(
                (*path, "requests", name) if name in requests else (*path, "requests"),
                f"{most_amount} of `{kind}` is less than the {needed} that the containers request",
            )
    for name, written in limits.items():
        most_of_it = or_zero(written)
        if most_of_it is None:
            continue
        if name.startswith(PAGES) and _together(spec, "limits", name) > most_of_it:
            yield refused((*path, "limits", name), "it is less than the containers' total")
        for index, container in maps(spec, "containers"):
            quantity = amount(inner(container, "resources", "limits").get(name))
            if quantity is not None and quantity > most_of_it:
                message = f"{most_of_it} is less than the limit of container {index}, {quantity}"
                yield refused((*path, "limits", name), message)


@lru_cache(1024)
def _whole(name: str) -> Resource:
    """Return the rules for a pod-level resource."""
    resource_found = resource(name)
    if name not in _COMPUTE and not resource_found.pages:
        return resource_found._replace(
            fault=("pod-level resources can only be `cpu`, `memory` and huge pages")
        )
    return resource_found


def _together(spec: Map, field: str, name: str, *, defaulted: bool = False) -> Quantity:
    """Return what containers need together: the sum of the running ones, or the largest init
    container.
    """
    running, before, beside = Quantity(0), Quantity(0), Quantity(0)
    for _, container in maps(spec, "containers"):
        running += _own(container, field, name, defaulted=defaulted)
    for _, init_container in maps(spec, "initContainers"):
        quantity = _own(init_container, field, name, defaulted=defaulted)
        if init_container.get("restartPolicy") == "Always":
            beside += quantity
            before = max(before, beside)
        else:
            before = max(before, quantity + beside)
    return max(running + beside, before)


def _own(value: Map, field: str, name: str, *, defaulted: bool) -> Quantity:
    amounts = inner(value, "resources", field)
    if defaulted and name not in amounts:
        amounts = inner(value, "resources", "limits")
    return amount(amounts.get(name)) or Quantity(0)


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.Container": (of_container,),
    "core.v1.Pod": (of_pod,),
    "core.v1.PodSpec": (claims, overhead),
    "core.v1.PodTemplateSpec": (of_template,),
}
