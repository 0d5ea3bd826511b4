"""Rules for the cluster profile."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.escaping.meant import did_you_mean
from gpuspec.kubernetes import VERSIONS
from gpuspec.manifests import Path, dns_subdomain
from gpuspec.numbers import read_version
from gpuspec.spec.namespaces import Namespace
from gpuspec.spec.profile import ClusterProfile, ClusterProfileSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules import amounts, claiming, contracts, pools, priorities, quotas
from gpuspec.spec.rules.metadata import annotations, labels
from gpuspec.spec.rules.references import image
from gpuspec.spec.rules.violation import SpecViolation

# Components that decisions depend on; a name close to one of them is a slip of the pen.
COMPONENTS = (
    "appwrapper",
    "cilium",
    "cluster-autoscaler",
    "dcgm-exporter",
    "envoy-gateway",
    "gateway-api",
    "generic-workload",
    "gpu-operator",
    "inference-extension",
    "jobset",
    "kai-scheduler",
    "karpenter",
    "keda",
    "knative",
    "kserve",
    "kube-state-metrics",
    "kubeflow-trainer",
    "kuberay",
    "kueue",
    "lws",
    "mpi-operator",
    "nim-operator",
    "network-operator",
    "opentelemetry-operator",
    "prometheus-adapter",
    "prometheus-operator",
    "training-operator",
    "volcano",
)

# The release of Kubeflow Trainer whose TrainJobs change the grace period of a runtime's pods.
_PATCHES_SINCE = (2, 3)

# Namespaces whose own pods need to be privileged, where our objects or a cluster's life depend on it.
PRIVILEGED = ("gpu-operator", "kube-system", "nvidia-network-operator")


def profile_problems(profile: ClusterProfile) -> Iterator[SpecViolation]:
    """Yield all violations of a profile, in no particular order."""
    spec = profile.spec
    yield from labels(profile.metadata.labels, ("metadata", "labels"))
    yield from annotations(profile.metadata.annotations, ("metadata", "annotations"))
    if spec.kubernetes not in VERSIONS:
        yield SpecViolation(
            f"Kubernetes {spec.kubernetes} is not supported",
            ("spec", "kubernetes"),
            f"supported: {', '.join(VERSIONS)}",
        )
    for name in spec.installed:
        if name not in COMPONENTS and (hint := did_you_mean(name, COMPONENTS, 0.8)):
            path: Path = ("spec", "installed", name)
            yield SpecViolation(
                f"{shown(name)} is not a resource that pods request", path, hint, key=True
            )
    yield from amounts.problems(spec, ("spec",))
    yield from pools.problems(spec.pools, spec.provider)
    yield from claiming.versions(spec)
    yield from _namespaces(spec)
    yield from _scc(spec)
    yield from _provider(spec)
    yield from _claims(spec)
    yield from quotas.problems(spec)
    yield from priorities.problems(spec.priorities)
    yield from contracts.problems(spec.contracts, ("spec", "contracts"))
    if spec.node_classes or any(pool.karpenter for pool in spec.pools):
        from gpuspec.spec.rules import karpenter

        yield from karpenter.problems(spec)
    queued = (*spec.queues, *spec.cohorts, *spec.admission_checks)
    if queued or spec.topology or spec.priorities.queued:
        from gpuspec.spec.rules import queues

        yield from queues.problems(spec)
    if spec.gpu_operator is not None or any(pool.driver for pool in spec.pools):
        from gpuspec.spec.rules import gpu_operator

        yield from gpu_operator.problems(spec)
    if spec.validation is not None:
        yield from image(spec.validation.image, ("spec", "validation", "image"))
    if spec.gateway is not None:
        from gpuspec.spec.rules import gateway

        yield from gateway.problems(spec, spec.gateway)
    yield from _runtimes(spec)
    if spec.metrics is not None:
        from gpuspec.spec.rules import metrics

        yield from metrics.problems(spec.metrics, spec.installed)
    if spec.monitoring is not None:
        from gpuspec.spec.rules import monitoring

        yield from monitoring.problems(spec, spec.monitoring)
    if spec.network is not None:
        from gpuspec.spec.rules import network

        yield from network.problems(spec.network, spec.installed)


def _namespaces(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    namespace_names: set[str] = set()
    privileged = (*PRIVILEGED, hardware.provider(spec.provider).operator)
    for index, namespace in enumerate(spec.namespaces):
        if namespace.name in namespace_names:
            message = f"a second namespace {shown(namespace.name)}"
            yield SpecViolation(message, ("spec", "namespaces", index, "name"), "delete one")
        namespace_names.add(namespace.name)
        if namespace.name in privileged and namespace.pod_security != "privileged":
            message = f"{namespace.name} at {namespace.pod_security}: its own pods are privileged"
            where: Path = ("spec", "namespaces", index)
            hint = "set podSecurity: privileged, or leave the namespace out"
            yield SpecViolation(message, where, hint, needs=((*where, "podSecurity"),))
        yield from _limits(spec, namespace, ("spec", "namespaces", index))


def _limits(spec: ClusterProfileSpec, namespace: Namespace, path: Path) -> Iterator[SpecViolation]:
    if namespace.max_gpus_per_pod is not None and not spec.pools:
        message = "a limit of GPUs, but no pool defines a GPU resource"
        yield SpecViolation(
            message, (*path, "maxGpusPerPod"), "write `pools`", key=True, needs=(("spec", "pools"),)
        )
    defaults = namespace.defaults
    if defaults is not None and defaults.cpu is None and defaults.memory is None:
        message = "`defaults` is empty"
        yield SpecViolation(
            message, (*path, "defaults"), "set `cpu`, `memory` or both, or delete it"
        )


def _scc(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Yield security constraints on a platform without them, and those that every pod or no pod may
    use."""
    constraints = hardware.provider(spec.provider).constraints
    for index, namespace in enumerate(spec.namespaces):
        for scc, accounts in namespace.scc.items():
            path: Path = ("spec", "namespaces", index, "scc", scc)
            if constraints is None:
                message = "SecurityContextConstraints exist only on OpenShift"
                needs: tuple[Path, ...] = (("spec", "provider"), ("spec", "extends"))
                hint = "set `extends: openshift` for the profile, or delete `scc`"
                yield SpecViolation(message, path[:-1], hint, key=True, needs=needs)
                break
            if fault := dns_subdomain(scc):
                yield SpecViolation(
                    f"{shown(scc)} is not a name: {fault}", path, "set its name", key=True
                )
            elif constraints.everybodys.name == scc:
                yield SpecViolation(
                    f"{scc} is available to everybody already", path, "delete it", key=True
                )
            elif not accounts:
                yield SpecViolation(
                    f"{scc} may be used by nobody", path, "name ServiceAccounts", key=True
                )


def _provider(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    if spec.autopilot and spec.provider != "gke":
        message, hint = "only GKE has Autopilot clusters", "set `provider: gke`, or leave it out"
        where: Path = ("spec", "autopilot")
        yield SpecViolation(message, where, hint, needs=(("spec", "provider"), ("spec", "extends")))
    if spec.extends is None:
        return
    preset = hardware.presets()[spec.extends]
    # A preset of no provider may be of any: the GPU Operator runs everywhere.
    if preset.provider.name not in ("none", spec.provider):
        message = f"the profile extends {spec.extends}, but its provider is {spec.provider}"
        needs: tuple[Path, ...] = (("spec", "extends"),)
        yield SpecViolation(message, ("spec", "provider"), "delete one of the two", needs=needs)


def _claims(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    classes = spec.storage.classes
    for claim, name in spec.storage.claims.items():
        if name not in classes:
            hint = f"classes of this profile: {', '.join(sorted(classes)) or 'none'}"
            yield SpecViolation(
                f"no storage class {shown(name)}",
                ("spec", "storage", "claims", claim),
                did_you_mean(name, classes) or hint,
                needs=(("spec", "storage", "classes"), ("spec", "extends")),
            )


def _runtimes(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Check that training runtimes are only for Kubeflow Trainer, in a release that can patch all
    that runs need."""
    if spec.runtimes.training is None:
        return
    version, path = spec.installed.get("kubeflow-trainer"), ("spec", "runtimes", "training")
    needs, least = (("spec", "installed"),), ".".join(map(str, _PATCHES_SINCE))
    if version is None:
        message = "`runtimes.training` needs Kubeflow Trainer, which is not installed"
        hint = f'add installed: {{kubeflow-trainer: "{least}"}} with its version'
        yield SpecViolation(message, path, hint, key=True, needs=needs)
    elif read_version(version)[:2] < _PATCHES_SINCE:
        message = f"Kubeflow Trainer {version} does not let a TrainJob set a grace period"
        yield SpecViolation(message, path, f"supported by {least} and later", key=True, needs=needs)
