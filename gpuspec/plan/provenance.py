"""The origin of objects, in annotations outside of pod templates.

In a pod template they would restart pods, or break a Job, whose template is immutable. The
annotation of the object with the pods changes only with the spec and the profile: a release of
gpuspec that renders the same leaves every file unchanged. `full` adds more, to every object, and
changes with releases.
"""

import json

from gpuspec.manifests.digests import sha256
from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.sharing import waiver
from gpuspec.spec import FineTuneSpec, ModelRef
from gpuspec.version import __version__

PREFIX = "gpuspec.dev/"


def provenance(resolution: Resolution, templates_digest: str) -> tuple[NodeMap, NodeMap]:
    """Return the annotations of the object with the pods, and those of every other object."""
    if resolution.profile.spec.provenance == "full":
        full = {**_contents(resolution), **_made_with(resolution, templates_digest)}
        return full, full
    return {**_contents(resolution), PREFIX + "digest": _digest_of_both(resolution)}, {}


def digest(value: object) -> str:
    """Return a digest of plain data that does not depend on the order of keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + sha256(text.encode())


def _digest_of_both(resolution: Resolution) -> Decision:
    profile = resolution.profile
    # What a profile inherits is ours, and changes with releases.
    profile_content = profile.name if profile.document is None else profile.written
    documents = {"spec": resolution.workload.document.value, "profile": profile_content}
    why = "digest of the spec and the profile, as they are written"
    return derived("provenance", digest(documents), why)


def _made_with(resolution: Resolution, templates_digest: str) -> dict[str, PlanPart]:
    """Return the version of gpuspec, and a digest of all inputs of the render."""

    def stamp(value: str, reason: str) -> Decision:
        return derived("provenance", value, reason)

    profile = resolution.profile
    annotations: dict[str, PlanPart] = {
        PREFIX + "version": stamp(__version__, "the version of gpuspec that rendered it"),
        PREFIX + "spec-digest": stamp(
            digest(resolution.workload.document.value), "digest of the spec it was rendered from"
        ),
        PREFIX + "profile": stamp(profile.name, "the cluster profile it was rendered for"),
        PREFIX + "templates-digest": stamp(templates_digest, "digest of the templates"),
    }
    if profile.document is not None:
        annotations[PREFIX + "profile-digest"] = stamp(
            digest(profile.document.value), "digest of the cluster profile"
        )
    return annotations


def _contents(resolution: Resolution) -> dict[str, PlanPart]:
    """Return the program, its model and data, its duration, and the reason for a shared GPU."""
    annotations: dict[str, PlanPart] = {
        PREFIX + "image": from_spec(("spec", "image"), resolution.spec.image, "the image")
    }
    if resolution.model is not None:
        path, model = resolution.model
        annotations |= _model(path[-1], model)
    for field in ("dataset", "input"):
        artifact = getattr(resolution.spec, field, None)
        if artifact is not None:
            annotations[PREFIX + field] = from_spec(("spec", field), artifact.whole, "the data")
    if isinstance(resolution.spec, FineTuneSpec):
        annotations |= _tuning(resolution.spec)
    expected = getattr(getattr(resolution.spec, "duration", None), "expected", None)
    if expected is not None:
        path = ("spec", "duration", "expected")
        annotations[PREFIX + "expected-duration"] = from_spec(
            path, str(expected), "the duration of the run"
        )
    if waived := waiver(resolution):
        annotations[PREFIX + "waiver-time-slicing"] = waived
    return annotations


def _tuning(spec: FineTuneSpec) -> dict[str, PlanPart]:
    """Return how the base model is adapted, and the place of the result for whoever serves it."""
    path = ("spec", "method")
    annotations: dict[str, PlanPart] = {
        PREFIX + "method": from_spec(path, spec.method, "the method of the fine-tune")
    }
    if spec.output is not None:
        path = ("spec", "output")
        annotations[PREFIX + "output"] = from_spec(
            path, spec.output.whole, "the path of the written weights"
        )
    return annotations


def _model(field: str | int, model: ModelRef) -> dict[str, PlanPart]:
    annotations: dict[str, PlanPart] = {
        PREFIX + "model": from_spec(("spec", field, "id"), model.id, "the model")
    }
    if model.revision:
        path = ("spec", field, "revision")
        annotations[PREFIX + "model-revision"] = from_spec(path, model.revision, "its revision")
    return annotations
