"""A number of replicas beside the autoscaler that moves it."""

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, Found, Related, Rule
from gpuspec.lint.subjects.serving.servers import is_first
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.scalers import scalers_of

RULE = Rule(
    "GPU804",
    "replicas-beside-autoscaler",
    "warning",
    "`replicas` is set beside an autoscaler",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Objects whose `replicas` each apply sets back to what is written."""
    owner = pod.object
    written = owner.spec.get("replicas")
    if not isinstance(written, int) or isinstance(written, bool) or not is_first(pod):
        return
    moved = scalers_of(owner, context.collection)
    if not moved:
        return
    app = _application(owner, context.collection)
    if app is not None and _ignored(owner, app):
        return
    scaler = moved[0]
    heals = app is not None and _heals(app)
    when = f"Argo CD ({app.name} heals itself)" if app is not None and heals else "each apply"
    ends = " and starts servers that it had scaled to zero" if scaler.least == 0 else ""
    related = [
        Related(scaler.object.number, scaler.path("scaleTargetRef"), "this moves the number")
    ]
    if app is not None and heals:
        at = app.path("spec", "syncPolicy", "automated", "selfHeal")
        related.append(Related(app.number, at, "and this sets it back"))
    path = owner.path("spec", "replicas")
    yield Found(
        path,
        f"`replicas` {written} stands beside {scaler}: {when} sets the number back, and ends warm "
        f"servers or starts cold ones{ends}",
        note="where the file cannot change, Argo CD's `ignoreDifferences` on `/spec/replicas` with "
        "`RespectIgnoreDifferences=true` leaves it alone",
        related=tuple(related),
        fix=Fix("leave the number to the autoscaler", (Drop(path),)),
    )


def _application(owner: Object, collection: Collection) -> Object | None:
    """The Argo CD Application of the run that syncs the object's namespace, if one is there."""
    by_namespace = collection.once(_applications)
    return by_namespace.get(owner.namespace) if owner.namespace else None


def _applications(collection: Collection) -> dict[str, Object]:
    return {
        text(mapping(one.spec.get("destination")).get("namespace")): one
        for one in collection.of("argoproj.io", "Application")
    }


def _heals(app: Object) -> bool:
    automated = mapping(mapping(app.spec.get("syncPolicy")).get("automated"))
    return automated.get("selfHeal") is True


def _ignored(owner: Object, app: Object) -> bool:
    """Whether Argo CD leaves the number alone."""
    return any(
        _matches(mapping(one), owner) and _points(mapping(one))
        for one in items(app.spec.get("ignoreDifferences"))
    )


def _matches(row: dict[str, Any], owner: Object) -> bool:
    return (
        text(row.get("group")) in ("*", owner.group)
        and text(row.get("kind")) in ("*", owner.kind)
        and row.get("name") in (None, "", owner.name)
    )


def _points(row: dict[str, Any]) -> bool:
    pointers = {text(one) for one in items(row.get("jsonPointers"))}
    paths = [text(one) for one in items(row.get("jqPathExpressions"))]
    return bool(pointers & {"/spec/replicas", "/spec"}) or any(
        one.startswith(".spec.replicas") for one in paths
    )
