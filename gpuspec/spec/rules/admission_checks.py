"""Rules for admission checks: each has exactly one kind, with the fields that it needs."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.spec.profile import ClusterProfileSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation, exactly_one

CHECKS: Path = ("spec", "admissionChecks")
# Kueue takes so many clusters in one configuration.
MOST_CLUSTERS = 20


def problems(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the admission checks."""
    names: set[str] = set()
    for index, check in enumerate(spec.admission_checks):
        path: Path = (*CHECKS, index)
        if check.name in names:
            message = f"a second admission check {shown(check.name)}"
            yield SpecViolation(message, (*path, "name"), "give each its own name", needs=(CHECKS,))
        names.add(check.name)
        kinds = ("provisioning_request", "multi_kueue")
        yield from exactly_one(check, kinds, path, f"admission check {check.name}")
        if check.multi_kueue is None:
            continue
        where: Path = (*path, "multiKueue", "clusters")
        clusters = check.multi_kueue.clusters
        if not clusters or len(clusters) > MOST_CLUSTERS:
            message = f"it names {len(clusters)} clusters, but Kueue takes 1 to {MOST_CLUSTERS}"
            yield SpecViolation(message, where)
    yield from _clusters(spec)


def _clusters(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Check that all checks with the same cluster describe the same object."""
    kube_configs: dict[str, str] = {}
    for index, check in enumerate(spec.admission_checks):
        for at, cluster in enumerate(check.multi_kueue.clusters if check.multi_kueue else ()):
            first = kube_configs.setdefault(cluster.name, cluster.kube_config)
            if first != cluster.kube_config:
                path: Path = (*CHECKS, index, "multiKueue", "clusters", at, "kubeConfig")
                message = f"cluster {cluster.name} uses the kubeconfig of {first}"
                yield SpecViolation(message, path, "name two different clusters", needs=(CHECKS,))
