"""An autoscaler whose target is not there, while something of nearly that name is."""

from collections.abc import Iterator

from gpuspec.kinds import an, scalable_kinds
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Found, Put, Rule
from gpuspec.lint.subjects.reading.names import Names
from gpuspec.loading.placeholders import placeholder
from gpuspec.objects.collection import Collection, PodFacts, same_namespace
from gpuspec.objects.namespaced import Namespaced
from gpuspec.objects.scalers import Scaler, scalers

RULE = Rule(
    "GPU805",
    "scale-target-missing",
    "warning",
    "An autoscaler's target does not exist",
    fix="unsafe",
)


def check(collection: Collection, context: Context) -> Iterator[Found]:
    """Targets of kinds that have pods, against the objects of the same run.

    Silent where nothing comes near: the target may be in a file that was not given.
    """
    named = Namespaced(
        ((pod.kind, pod.name), pod.namespace, pod) for pod in collection.pods if pod.traits.scaled
    )
    all_names: dict[str, list[PodFacts]] = {}
    for pod in collection.pods:
        if pod.traits.scaled:
            all_names.setdefault(pod.name, []).append(pod)
    taken = {(one.kind, one.name) for one in scalers(collection)}
    free: dict[str, dict[str, None]] = {}
    for name, pods in all_names.items():
        for pod in pods:
            if (pod.kind, name) not in taken:
                free.setdefault(pod.kind, {})[name] = None
    near = {kind: Names(names) for kind, names in free.items()}
    for scaler in scalers(collection):
        if (
            scaler.kind not in scalable_kinds()
            or _unrendered(scaler)
            or named.first((scaler.kind, scaler.name), scaler.object.namespace) is not None
        ):
            continue
        # An operator may make objects of another kind that are called nearly so.
        close = near[scaler.kind].near(scaler.name) if scaler.kind in near else None
        yield from _missing(scaler, all_names, close)


def _unrendered(scaler: Scaler) -> bool:
    """Whether placeholders stand where names are to be."""
    return any(placeholder(text) for text in (scaler.name, scaler.object.namespace))


def _missing(
    scaler: Scaler, named: dict[str, list[PodFacts]], close: str | None
) -> Iterator[Found]:
    where = scaler.object.namespace
    at = scaler.path("scaleTargetRef", "name")
    says = f"no {scaler.kind} is called `{scaler.name}`"
    for pod in named.get(scaler.name, ()):
        if not same_namespace(where, pod.namespace):
            yield _found(
                scaler,
                at,
                f"{scaler.kind} `{scaler.name}` is in namespace `{pod.namespace}`, not in `{where}`",
                None,
            )
            return
        kind = scaler.path("scaleTargetRef", "kind")
        yield _found(
            scaler,
            kind,
            f"`{scaler.name}` is {an(pod.kind)}, not {an(scaler.kind)}",
            None if scaler.keda else Fix(f"say {pod.kind}", (Put(kind, pod.kind),)),
        )
        return
    if close is None:
        return
    if any(
        pod.kind == scaler.kind and same_namespace(where, pod.namespace) for pod in named[close]
    ):
        fix = Fix(f"say `{close}`", (Put(at, close),))
        yield _found(scaler, at, f"{says}, and `{close}` is there", fix)


def _found(scaler: Scaler, path: tuple[str | int, ...], why: str, fix: Fix | None) -> Found:
    return Found(
        path,
        f"{why}: the autoscaler moves nothing",
        note="a name prefix of Kustomize does not reach references of kinds that it does not know",
        confidence="likely",
        fix=fix,
        object=scaler.object.number,
    )
