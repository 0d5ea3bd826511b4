"""A label or annotation that no scheduler, queue or autoscaler reads, and one that is close to it."""

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Found, Rename, Rule
from gpuspec.lint.subjects.reading.keys import meant
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, mapping
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU704",
    "misspelled-key",
    "warning",
    "A label or annotation for queues, gangs or autoscalers is misspelled, or no longer read",
    fix="unsafe",
)


def check(one: Object, context: Context) -> Iterator[Found]:
    """Keys of the object's own metadata, and of the pods and Jobs that it makes."""
    places: list[tuple[Path, dict[str, Any]]] = [(one.path("metadata"), one.metadata)]
    if one.is_a("batch", "CronJob"):
        inside = ("spec", "jobTemplate", "metadata")
        places.append((one.path(*inside), mapping(at(one.value, inside))))
    places += [
        (pod.metadata_path, pod.metadata)
        for pod in one.pods
        if pod.metadata_path is not None and pod.metadata is not one.metadata
    ]
    for path, metadata in places:
        for field in ("labels", "annotations"):
            written = metadata.get(field)
            if not written or not isinstance(written, dict):
                continue
            for key in written:
                # Most keys are no one's but the team's.
                if isinstance(key, str) and "/" in key:
                    yield from _look((*path, field, key), key, written)


def _look(path: Path, key: str, written: dict[str, Any]) -> Iterator[Found]:
    found = meant(key)
    if found is None:
        return
    if found.old:
        said = f"`{key}` is no longer read: it has no effect, `{found.key}` is what has it now"
    else:
        said = f"nothing reads `{key}`: it has no effect; did you mean `{found.key}`?"
    rename = Fix(f"call it `{found.key}`", (Rename(path, found.key),))
    yield Found(
        path,
        said,
        key=True,
        fix=None if found.key in written else rename,
        confidence="certain" if found.old else "likely",
    )
