"""AppWrappers.

Source: github.com/project-codeflare/appwrapper v1.2.2, internal/webhook/appwrapper_webhook.go and
pkg/utils/utils.go. Whether the user may create the wrapped objects is left to the cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kubernetes import VERSIONS
from gpuspec.manifests.values import at, text
from gpuspec.numbers import read_whole
from gpuspec.validation.apiserver.reading import inner, maps, number, refused
from gpuspec.validation.bundle import load
from gpuspec.validation.custom import find
from gpuspec.validation.nodes import root
from gpuspec.validation.walk import faults, is_absent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_COMPONENTS = ("spec", "components")
_POD = "template.spec.template"
_MOST = 8
_NO_POD = "no pod template is at"
_OWN = ("workload.codeflare.dev/v1beta2", "AppWrapper")
"""The kind that one wrapper cannot wrap."""


def wrapped(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the wrapped objects: no wrapper, and none of another namespace."""
    namespace = inner(value, "metadata").get("namespace")
    for index, component in maps(inner(value, "spec"), "components"):
        path, template = (*_COMPONENTS, index, "template"), inner(component, "template")
        if (template.get("apiVersion"), template.get("kind")) == _OWN:
            yield refused(path, "an AppWrapper cannot contain another AppWrapper")
        metadata = template.get("metadata")
        theirs = metadata.get("namespace") if isinstance(metadata, dict) else None
        # Where the wrapper's own is not written, whoever applies it chooses one.
        if theirs and namespace and theirs != namespace:
            yield refused(
                (*path, "metadata", "namespace"),
                f"the wrapper is in namespace `{namespace}`, and can create objects only there",
            )


def pods(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check pod sets: the declared ones exist, and so do those of known kinds."""
    count, is_known = 0, True
    for index, component in maps(inner(value, "spec"), "components"):
        template = inner(component, "template")
        is_known = is_known and bool(template.get("apiVersion") and template.get("kind"))
        declared = dict(maps(component, "podSets"))
        pod_counts = _found(template)
        count += max(len(pod_counts), len(declared))
        path = (*_COMPONENTS, index)
        violations = list(_declared(template, declared, (*path, "podSets")))
        violations += _undecoded(template, declared, (*path, "template"))
        lost = next((route for route in pod_counts if not _is_pod(_at(template, route))), None)
        if lost is not None:
            violations.append(refused((*path, "template"), f"{_NO_POD} `{lost}`"))
        yield from violations
        if not violations and declared and pod_counts:
            yield from _agree(declared, pod_counts, (*path, "podSets"))
    if not count and is_known:
        yield refused(
            _COMPONENTS,
            "the AppWrapper has no pods",
            "for a kind that AppWrapper does not know, `podSets` must name its pod templates",
        )
    elif count > _MOST:
        yield refused(_COMPONENTS, f"expected at most {_MOST} pod templates in all, not {count}")


def _declared(template: Map, sets: dict[int, Map], path: Path) -> Iterator[SchemaViolation]:
    paths_seen = set()
    for index, pod_set in sets.items():
        route = pod_set.get("path") or ""
        if not _is_pod(_at(template, route)):
            yield refused(
                (*path, index, "path"),
                f"{_NO_POD} `{route}`",
                f"a path begins with `template`, which is the object: `{_POD}`",
            )
        elif route in paths_seen:
            yield refused((*path, index, "path"), f"another pod set has `path: {route}` too")
        paths_seen.add(route)


def _is_pod(template: Any) -> bool:
    return isinstance(template, dict) and isinstance(template.get("spec"), dict)


def _undecoded(template: Map, sets: dict[int, Map], path: Path) -> Iterator[SchemaViolation]:
    """Yield the faults of pod templates in objects that no schema checks."""
    kind = text(template.get("apiVersion")), text(template.get("kind"))
    bundle = load(VERSIONS[-1])
    if kind in bundle or find(kind) is not None:
        return
    pod = root(bundle, ("v1", "Pod")).field("spec")
    for pod_set in sets.values():
        steps = _steps(pod_set.get("path") or "")
        spec = at(template, (*steps, "spec"))
        for fault in faults(pod, spec) if pod is not None and isinstance(spec, dict) else ():
            if fault.reason in ("unknown-field", "wrong-type") and not is_absent(fault):
                yield refused(
                    (*path, *steps, "spec", *fault.path),
                    "AppWrapper reads a pod here, but this is not a field of one",
                )


def _agree(
    declared: dict[int, Map], pod_counts: dict[str, int], path: Path
) -> Iterator[SchemaViolation]:
    """Check pod sets of a known kind: either each is declared with the object's number of pods,
    or none is."""
    if len(declared) != len(pod_counts):
        yield refused(
            path,
            f"the object has {len(pod_counts)} pod templates, but {len(declared)} are declared",
        )
        return
    by_path = {pod_set.get("path"): index for index, pod_set in declared.items()}
    for route, count in pod_counts.items():
        if (index := by_path.get(route)) is None:
            yield refused(path, f"the pods of `{route}` are not declared")
        elif (stated_count := number(declared[index], "replicas", 1)) != count:
            yield refused(
                (*path, index, "replicas"),
                f"the object has {count} pods at this path, not {stated_count}",
            )


def _found(template: Map) -> dict[str, int]:
    """Return the pod sets of a kind that AppWrapper knows: their paths, and their numbers of pods."""
    match template.get("apiVersion"), template.get("kind"):
        case "v1", "Pod":
            return {"template": 1}
        case "apps/v1", "Deployment" | "StatefulSet":
            return _one(template, _POD, "template.spec.replicas")
        case "batch/v1", "Job":
            return {_POD: _of_job(template, "template.spec")}
        case "jobset.x-k8s.io/v1alpha2", "JobSet":
            return _of_jobset(template)
        case "kubeflow.org/v1", "PyTorchJob":
            roles = (f"template.spec.pytorchReplicaSpecs.{role}" for role in ("Master", "Worker"))
            return {
                path: count
                for role in roles
                for path, count in _one(template, f"{role}.template", f"{role}.replicas").items()
            }
        case "ray.io/v1", "RayCluster":
            return _of_ray(template, "template.spec")
        case "ray.io/v1", "RayJob":
            return _of_ray(template, "template.spec.rayClusterSpec")
    return {}


def _one(template: Map, path: str, replicas: str) -> dict[str, int]:
    return {} if _at(template, path) is None else {path: _count(template, replicas)}


def _of_job(template: Map, spec: str) -> int:
    count = _count(template, f"{spec}.parallelism")
    return min(count, _count(template, f"{spec}.completions", count))


def _of_jobset(template: Map) -> dict[str, int]:
    jobs = _at(template, "template.spec.replicatedJobs")
    places = [f"template.spec.replicatedJobs[{at}]" for at in range(_length(jobs))]
    return {
        f"{job}.{_POD}": _count(template, f"{job}.replicas")
        * _of_job(template, f"{job}.template.spec")
        for job in places
        if _at(template, f"{job}.template") is not None
    }


def _of_ray(template: Map, spec: str) -> dict[str, int]:
    groups = _at(template, f"{spec}.workerGroupSpecs")
    pod_counts = {f"{spec}.headGroupSpec.template": 1}
    for index in range(_length(groups)):
        group = f"{spec}.workerGroupSpecs[{index}]"
        pod_counts |= _one(template, f"{group}.template", f"{group}.replicas")
    return pod_counts


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0


def _count(template: Map, path: str, default: int = 1) -> int:
    field_value = _at(template, path)
    return field_value if type(field_value) is int else default


def _at(template: Map, path: str) -> Any:
    """Return the value at a path in AppWrapper's notation, `template.spec.groups[0]`; None if it is
    absent.
    """
    first, *_ = path.partition(".")
    if first != "template":
        return None
    return at(template, _steps(path))


def _steps(path: str) -> Path:
    """Return the steps of such a path below the object; an index must exist in its list."""
    steps = path.replace("[", ".[").split(".")[1:]
    return tuple(_index(step) if step[:1] == "[" and step[-1:] == "]" else step for step in steps)


def _index(step: str) -> str | int:
    index = read_whole(step[1:-1])
    return step if index is None else index


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "workload.v1beta2.AppWrapper": (wrapped, pods),
}
