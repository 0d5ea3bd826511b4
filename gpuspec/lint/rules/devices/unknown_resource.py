"""An unknown resource: a misspelled device name, or a name without its vendor's domain."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.resource_names import (
    is_right,
    meant_resource,
    never_advertised,
    plain,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, Put, RawFinding, Rename, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, mapping
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU103",
    "unknown-resource",
    "error",
    "A device's resource name is unknown, often a typo",
    gives_way=("GPU311",),
    fix="both",
)

_INSTEAD = "request a GPU, a MIG slice or a claim: GPU memory is not a resource by itself"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield names in limits and requests that mean a device and name none, or that have no
    domain."""
    if pod.object.is_a("nvidia.com", "DynamoGraphDeployment"):
        yield from _of_dynamo(pod)
    for container in pod.every:
        resource_names = dict.fromkeys((*container.limits, *container.requests))
        for name in resource_names:
            if not isinstance(name, str) or is_right(name):
                continue
            reason = never_advertised(name)
            right_name = None if reason else meant_resource(name)
            if reason is not None and _may_be_known(name, pod, context):
                continue
            if (
                reason is None
                and right_name is None
                and ("/" in name or container.resources_at != "resources")
            ):
                continue
            where = [
                field
                for field, amounts in (
                    ("limits", container.limits),
                    ("requests", container.requests),
                )
                if name in amounts
            ]
            base = container.path(container.resources_at)
            is_taken = right_name is None or right_name in resource_names
            if reason is not None:
                yield RawFinding(
                    (*base, where[0], name),
                    f"the pod stays Pending: `{name}` {reason}",
                    note=_INSTEAD,
                    key=True,
                    confidence="likely",
                )
                continue
            yield RawFinding(
                (*base, where[0], name),
                _message(name, right_name),
                key=True,
                fix=None if is_taken else _fix(base, where, name, str(right_name)),
                confidence="certain" if _is_sure(name, right_name, context) else "likely",
            )


def _of_dynamo(pod: Pod) -> Iterator[RawFinding]:
    """Yield devices by the names of Kubernetes in the `resources` of a service in Dynamo's v1alpha1,
    which has keys of its own."""
    owner = pod.object
    if owner.api_version != "nvidia.com/v1alpha1":
        return
    service = (*pod.base[:-1], "resources")
    for field in ("limits", "requests"):
        amounts = mapping(at(owner.value, (*service[len(owner.base) :], field)))
        for name, amount in amounts.items():
            if not isinstance(name, str) or "/" not in name:
                continue
            path = (*service, field, name)
            is_gpu = name == "nvidia.com/gpu"
            puts = (Drop(path), Put((*service, field, "gpu"), str(amount)))
            yield RawFinding(
                path,
                f"`{name}` is not a key of Dynamo's `resources`: the API server rejects the "
                "object, or drops the key and the service gets no device",
                note=f'write `gpu: "{amount}"`'
                if is_gpu
                else (
                    f'write `custom: {{{name}: "{amount}"}}`, or `gpu` with `gpuType` for a GPU '
                    "of another maker"
                ),
                key=True,
                fix=Fix("write `gpu`", puts) if is_gpu and "gpu" not in amounts else None,
                severity="warning",
                confidence="likely",
            )


def _may_be_known(name: str, pod: Pod, context: Context) -> bool:
    """Return whether another scheduler or device plugin may have the name: HAMi's can be told
    any."""
    from gpuspec.charts.release import ARGO, FLUX
    from gpuspec.fleet import advertised

    if pod.spec.get("schedulerName") not in (None, "", "default-scheduler"):
        return True
    if any(name in advertised(pool.pool, pool.model) for pool in context.placed):
        return True
    of = context.collection.of
    objects = (*of("", "ConfigMap"), *of(FLUX, "HelmRelease"), *of(ARGO, "Application"))
    return any(name in str(obj.value) for obj in objects)


def _is_sure(name: str, right_name: str | None, context: Context) -> bool:
    """Return whether no node can have it; a cluster may have unknown devices of other domains."""
    domain = name.rpartition("/")[0]
    if not domain or domain.endswith("kubernetes.io"):
        return True
    from gpuspec.fleet import advertised

    return any(right_name in advertised(pool.pool, pool.model) for pool in context.placed)


def _message(name: str, right_name: str | None) -> str:
    did = f"; did you mean `{right_name}`?" if right_name else ""
    domain = name.rpartition("/")[0]
    if not domain:
        return f"`{name}` is not a Kubernetes resource: the API server rejects the pod{did}"
    if domain.endswith("kubernetes.io"):
        return f"`{name}` is no longer a Kubernetes resource: the API server rejects the pod{did}"
    return f"the pod stays Pending: no known device plugin advertises `{name}`{did}"


def _fix(base: Path, where: list[str], name: str, right_name: str) -> Fix:
    """Return safe where only dots, dashes, capitals or a plural are wrong: else another maker may
    be meant."""
    renames = tuple(Rename((*base, field, name), right_name) for field in where)
    return Fix(f"write `{right_name}`", renames, safe=plain(name) == plain(right_name))
