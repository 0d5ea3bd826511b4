"""A field that a serving operator accepts as text, and cannot read when it acts on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import mappings_at
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import placeholder

if TYPE_CHECKING:
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU884",
    "operator-cannot-read",
    "warning",
    "A serving operator accepts a field that it cannot read",
)


class _Form(msgspec.Struct, frozen=True):
    """The required form of a string."""

    kinds: tuple[str, ...]
    fields: tuple[str, ...]
    """Patterns of fields below the spec."""
    like: re.Pattern[str]
    says: str
    """The fault and its consequence; `{0}` is the text."""
    note: str
    unless: str = ""
    """The kind of KServe with which the set may extend what is read."""


_GROUP = "serving.kserve.io"
_FORMATS = (
    *("model", "huggingface", "lightgbm", "onnx", "paddle", "pmml", "pytorch", "sklearn"),
    *("tensorflow", "triton", "xgboost"),
)
_LOCATIONS = (
    *(f"spec.predictor.{field}.storageUri" for field in _FORMATS),
    "spec.predictor.storageUris.*.uri",
)
_WRITE = "write `hf://org/model`, `pvc://claim/folder`, `s3://bucket/folder` or `oci://image`"
_FORMS = (
    # kserve/kserve v0.20.0 pkg/utils (a text without a scheme passes as a local path); python/storage, kserve_storage.py
    # (download: none of its schemes, and no such file)
    _Form(
        ("InferenceService",),
        _LOCATIONS,
        re.compile(r"[\w+]+://|/|\{\{"),
        "`{0}` has no scheme, so KServe reads it as a local path: the storage initializer finds "
        "no such file, and the pod never starts",
        _WRITE,
    ),
    # kserve/kserve aaac4e29 pkg/controller/v1beta1/inferenceservice/utils/utils.go (ValidateStorageURI)
    _Form(
        ("InferenceService",),
        _LOCATIONS,
        # Schemes of other programs; a ClusterStorageContainer of the cluster may have more.
        re.compile(r"(?!(huggingface|gcs|ollama|minio|abfss?|azure|docker)://)"),
        "`{0}` has a scheme that KServe does not know: KServe creates no pods, unless a "
        "ClusterStorageContainer of the cluster knows the scheme",
        _WRITE,
        unless="ClusterStorageContainer",
    ),
    # kserve/kserve aaac4e29 python/storage/kserve_storage/kserve_storage.py (_download_hf)
    _Form(
        ("InferenceService",),
        _LOCATIONS,
        re.compile(r"(?!hf://)|hf://[^/]+/[^/:]+(:[^/]*)?$"),
        "`{0}` is not of the form `hf://owner/model`: the storage initializer fails in a loop",
        "write owner and model, and a revision behind a colon: `hf://owner/model:main`",
        unless="ClusterStorageContainer",
    ),
    # kserve/kserve aaac4e29 pkg/utils/storage.go (ParsePvcURI)
    _Form(
        ("InferenceService",),
        _LOCATIONS,
        re.compile(r"(?!pvc://)|pvc://[^/]"),
        "`{0}` names no claim: KServe creates no pods",
        "write `pvc://claim/folder`",
    ),
    # kserve/kserve v0.20.0 pkg/controller/v1alpha2/llmisvc/storage.go
    _Form(
        ("LLMInferenceService", "LLMInferenceServiceConfig"),
        ("spec.model.uri", "spec.model.lora.adapters.*.uri"),
        re.compile(r"(pvc|oci|hf|s3)://|\{\{"),
        "`{0}` is not a location that KServe knows for an LLMInferenceService: KServe creates no "
        "pods",
        _WRITE,
    ),
    # kubeai-project/kubeai internal/modelcontroller/model_controller.go (getModelConfig)
    _Form(
        ("Model",),
        ("spec.resourceProfile",),
        re.compile(r"[^:]+:[0-9]+$"),
        "`{0}` lacks the number of units that KubeAI expects behind a colon: KubeAI creates no "
        "pods",
        "write `NAME:1`, or as many as the model needs GPUs",
    ),
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield texts of another form; those that a template fills are unknown."""
    for form in _FORMS:
        if obj.kind not in form.kinds or (
            form.unless and context.collection.of(_GROUP, form.unless)
        ):
            continue
        for pattern in form.fields:
            holder, _, field = pattern.rpartition(".")
            for path, mapping in mappings_at(obj.value, (holder,)):
                value = mapping.get(field)
                if not isinstance(value, str) or not value or placeholder(value) is not None:
                    continue
                if form.like.match(value) is None:
                    says = form.says.format(value)
                    yield RawFinding(
                        obj.path(*path, field), says, note=form.note, confidence="likely"
                    )
