"""The prefill pods of a server: all their settings in the spec, combined."""

from msgspec.structs import replace

from gpuspec.manifests import Path
from gpuspec.spec.inference import InferenceSpec, Parallelism, Prefill

PREFILL: Path = ("spec", "prefill")
# Whose pods, Services and policies are called so, behind the workload's name.
PREFILL_SUFFIX = "-prefill"
DECODE_SUFFIX = "-decode"
ROUTER_SUFFIX = "-router"
_OWN = ("nodes", "gpu", "resources", "args")
"""Fields that replace the server's if they are set."""


def prefill_of(spec: InferenceSpec) -> InferenceSpec:
    """Return the spec of the prefill pods, as if they were a separate server."""
    prefill = spec.prefill
    assert prefill is not None
    overrides = {name: value for name in _OWN if (value := getattr(prefill, name)) is not None}
    return replace(
        spec,
        **overrides,
        replicas=prefill.replicas,
        parallelism=_parallelism(spec, prefill),
        env={**spec.env, **prefill.env},
        # Room is kept warm for the pods that clients wait for.
        warm=0,
    )


def _parallelism(spec: InferenceSpec, prefill: Prefill) -> Parallelism:
    if prefill.parallelism is not None:
        return prefill.parallelism
    # Degrees of other GPUs would not fit.
    return spec.parallelism if prefill.gpu is None and prefill.nodes is None else Parallelism()


def place_of(spec: InferenceSpec, path: Path) -> Path:
    """Return the path in the spec for a path in `prefill_of`."""
    prefill = spec.prefill
    if prefill is None or len(path) < 2 or path[0] != "spec":
        return path
    field = str(path[1])
    if field == "env":
        moved = len(path) > 2 and path[2] in prefill.env
    elif field == "parallelism":
        moved = (
            prefill.parallelism is not None or prefill.gpu is not None or prefill.nodes is not None
        )
    else:
        moved = field == "replicas" or (field in _OWN and getattr(prefill, field) is not None)
    return (*PREFILL, *path[1:]) if moved else path
