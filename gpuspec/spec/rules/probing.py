"""Rules for probes of a model server."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.probing import Probe
from gpuspec.spec.rules.violation import SpecViolation, exactly_one

_WAYS = ("path", "tcp", "grpc", "command")


def problems(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a spec's probes."""
    for field in ("readiness", "startup", "liveness"):
        probe: Probe | None = getattr(spec.probes, field)
        if probe is not None:
            path: Path = ("spec", "probes", field)
            yield from exactly_one(probe, _WAYS, path, f"the {field} probe")
    readiness, liveness = spec.probes.readiness, spec.probes.liveness
    if readiness is None and runtimes.get(spec.runtime).probes is None:
        yield SpecViolation(
            f"runtime {spec.runtime} needs `probes.readiness`",
            ("spec", "runtime"),
            "set probes: {readiness: {path: …}}, a path that answers only when the model does",
            needs=(("spec", "probes"),),
        )
    if readiness and liveness and _patience(liveness) < _patience(readiness):
        yield SpecViolation(
            f"liveness gives up after {_patience(liveness)}s, before readiness ({_patience(readiness)}s): "
            "a slow server would be killed instead of spared",
            ("spec", "probes", "liveness"),
            "set more `failures` or a longer `period`",
            key=True,
            needs=(("spec", "probes", "readiness"),),
        )


def _patience(probe: Probe) -> int:
    """Return the seconds of failures before the probe counts as failed."""
    period = probe.period.seconds if probe.period else 10
    return period * (probe.failures or 3)
