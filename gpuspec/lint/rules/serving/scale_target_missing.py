"""An autoscaler whose target is not there, while something of nearly that name is."""

from __future__ import annotations

from collections.abc import Iterator
from os.path import basename

import msgspec

from gpuspec.kinds import an, kind_of, scalable_kinds
from gpuspec.lint.analysis.reading.kustomizations import may_be_named
from gpuspec.lint.analysis.reading.names import KnownNames
from gpuspec.lint.analysis.reading.releases import all_releases
from gpuspec.lint.analysis.reading.renaming import affixed
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests import Path
from gpuspec.objects.collection import Collection, PodFacts, same_namespace
from gpuspec.objects.namespaced import NamespacedIndex
from gpuspec.objects.objects import Object
from gpuspec.objects.references import references_of

RULE = Rule(
    "GPU805",
    "scale-target-missing",
    "warning",
    "An autoscaler's target does not exist",
    fix="unsafe",
)


class _Target(msgspec.Struct, frozen=True):
    """The target of an autoscaler."""

    scaler: Object
    kind: str
    name: str
    path: Path
    """Where its name is written."""

    @property
    def kind_path(self) -> Path | None:
        """The path of its kind; None if it is not written."""
        path = (*self.path[:-1], "kind")
        return None if self.scaler.group == "keda.sh" else path


class _Scalable:
    """Kinds with pods that have a scale, whatever group is written with them."""

    def __contains__(self, kind: object) -> bool:
        return isinstance(kind, tuple) and kind[1] in scalable_kinds()


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Check targets of kinds with pods against the objects of the set.

    It is silent if nothing resembles the target, which may be in another file.
    """
    namespaced = NamespacedIndex(
        ((pod.kind, pod.name), pod.namespace, pod) for pod in collection.pods if pod.traits.scaled
    )
    all_names: dict[str, list[PodFacts]] = {}
    release_files = {obj.file for obj, _ in all_releases(collection)}
    for pod in collection.pods:
        # Only the chart knows the names and labels of what it makes from values.
        of_values = "values" in basename(pod.file) or pod.file in release_files
        if pod.traits.scaled and (pod.labels or not of_values):
            all_names.setdefault(pod.name, []).append(pod)
    targets = list(_targets(collection))
    target_names = {(target.kind, target.name) for target in targets}
    free: dict[str, dict[str, None]] = {}
    for name, pods in all_names.items():
        for pod in pods:
            if (pod.kind, name) not in target_names:
                free.setdefault(pod.kind, {})[name] = None
    near = {kind: KnownNames(names) for kind, names in free.items()}
    for target in targets:
        where = target.scaler.namespace
        if _unrendered(target) or namespaced.first((target.kind, target.name), where) is not None:
            continue
        # An operator may make objects of another kind that are called nearly so.
        close = near[target.kind].near(target.name) if target.kind in near else None
        if close is not None and target.name in affixed(close, target.scaler, collection):
            continue
        yield from _missing(target, all_names, close, collection)


def _targets(collection: Collection) -> Iterator[_Target]:
    """Yield what autoscalers move; one that a file holds twice is one to a cluster."""
    identities: set[tuple[str, ...]] = set()
    for group, kind in sorted(collection.kinds):
        traits = kind_of(group, kind)
        if traits is None or traits.phase != "scaling":
            continue
        for obj in collection.of(group, kind):
            same = (group, kind, obj.namespace, obj.name, obj.file)
            if obj.name and obj.file and same in identities:
                continue
            identities.add(same)
            for ref in references_of(obj, _Scalable()):
                if "describedObject" in ref.path:
                    continue  # a metric's object, which nobody scales
                yield _Target(obj, ref.kind, ref.name, ref.path)


def _unrendered(target: _Target) -> bool:
    """Return whether names are still placeholders."""
    return any(placeholder(text) for text in (target.name, target.scaler.namespace))


def _missing(
    target: _Target,
    pods_by_name: dict[str, list[PodFacts]],
    close: str | None,
    collection: Collection,
) -> Iterator[RawFinding]:
    where = target.scaler.namespace
    says = f"no {target.kind} is named `{target.name}`"
    for pod in pods_by_name.get(target.name, ()):
        if not same_namespace(where, pod.namespace):
            if may_be_named(target.scaler, ("metadata", "namespace"), collection):
                # The build gives both one namespace.
                return
            yield _found(
                target,
                target.path,
                f"{target.kind} `{target.name}` is in namespace `{pod.namespace}`, not in `{where}`",
                f"write `namespace: {pod.namespace}` in the autoscaler",
                None,
            )
            return
        kind = target.kind_path
        yield _found(
            target,
            (*target.path[:-1], "kind"),
            f"`{target.name}` is {an(pod.kind)}, not {an(target.kind)}",
            f"write `kind: {pod.kind}`" if kind is None else None,
            None if kind is None else Fix(f"write `kind: {pod.kind}`", (Put(kind, pod.kind),)),
        )
        return
    if close is None:
        return
    if any(
        pod.kind == target.kind and same_namespace(where, pod.namespace)
        for pod in pods_by_name[close]
    ):
        fix = Fix(f"write `{close}`", (Put(target.path, close),))
        note = "write the final name: Kustomize adds a name prefix only to references that it knows"
        yield _found(target, target.path, f"{says}, but `{close}` exists", note, fix)


def _found(target: _Target, path: Path, why: str, note: str | None, fix: Fix | None) -> RawFinding:
    return RawFinding(
        path,
        f"{why}: the autoscaler does nothing",
        note=note,
        confidence="likely",
        fix=fix,
        object=target.scaler.number,
    )
