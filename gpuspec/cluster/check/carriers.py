"""Check the targets and runtimes in a profile against those that exist and those that are
installed."""

from collections.abc import Iterator

from gpuspec.cluster.check.finding import CheckRemark
from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Path
from gpuspec.spec import ClusterProfileSpec
from gpuspec.spec.quoting import shown
from gpuspec.targets import DEFAULTS, WORDS, names, target_of


def targets(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield targets that run nothing here: unknown, for other workloads, or not installed."""
    for intent, words in WORDS.items():
        name = getattr(spec.targets, intent)
        if name is None:
            continue
        path: Path = ("spec", "targets", intent)
        why = f"{words} are refused, unless their spec names another target"
        able = [target_name for target_name in names() if intent in target_of(target_name).intents]
        fix = f"targets that support {words}: {', '.join(able)}"
        if name not in names():
            close = did_you_mean(name, names())
            yield CheckRemark("error", path, f"unknown target {shown(name)}", why, close or fix)
        elif name not in able:
            yield CheckRemark("error", path, f"target {name} does not support {words}", why, fix)
        elif lack := target_of(name).lack(spec.installed):
            yield CheckRemark("error", path, lack.text, why, lack.hint or f"upgrade it, or {fix}")


def training_runtime(spec: ClusterProfileSpec) -> Iterator[CheckRemark]:
    """Yield a runtime of Kubeflow Trainer that no workload uses by default."""
    runtime, carrier = spec.runtimes.training, spec.targets.gang or DEFAULTS["gang"][0]
    if runtime is not None and carrier != "trainjob":
        yield CheckRemark(
            "note",
            ("spec", "runtimes", "training"),
            f"no workload uses {runtime.kind} {runtime.name} by default",
            f"{WORDS['gang']} run on target {carrier}, but only a TrainJob names the runtime",
            "write targets: {gang: trainjob}",
        )
