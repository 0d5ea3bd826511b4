"""The table of kinds: the file of each API group, and the position of a kind in the order of
applying.

A file is imported when one of its groups first occurs.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import get_args

from gpuspec.kinds.model import Kind, Phase, PodGroupKind

HOMES = {
    "": "core",
    "apps": "apps",
    "batch": "batch",
    "admissionregistration.k8s.io": "cluster",
    "apiextensions.k8s.io": "cluster",
    "apiregistration.k8s.io": "cluster",
    "autoscaling": "cluster",
    "autoscaling.k8s.io": "cluster",
    "autoscaling.x-k8s.io": "cluster",
    "certificates.k8s.io": "cluster",
    "discovery.k8s.io": "cluster",
    "networking.k8s.io": "cluster",
    "node.k8s.io": "cluster",
    "policy": "cluster",
    "rbac.authorization.k8s.io": "cluster",
    "resource.k8s.io": "cluster",
    "scheduling.k8s.io": "cluster",
    "storage.k8s.io": "cluster",
    "agents.x-k8s.io": "sandbox",
    "apps.kruise.io": "kruise",
    "apps.nvidia.com": "nim",
    "apps.openshift.io": "openshift",
    "argoproj.io": "argo",
    "autoscaling.aibrix.ai": "aibrix",
    "batch.volcano.sh": "volcano",
    "cilium.io": "platform",
    "cloud.google.com": "platform",
    "core.oam.dev": "wrappers",
    "disaggregatedset.x-k8s.io": "lws",
    "extensions.agents.x-k8s.io": "sandbox",
    "gateway.envoyproxy.io": "envoy",
    "gateway.networking.k8s.io": "gateway",
    "grove.io": "grove",
    "helm.toolkit.fluxcd.io": "platform",
    "inference.llmaz.io": "llmaz",
    "inference.llmkube.dev": "llmkube",
    "inference.networking.k8s.io": "platform",
    "inference.networking.x-k8s.io": "platform",
    "jobset.x-k8s.io": "jobset",
    "kai.scheduler": "kai",
    "kaito.sh": "kaito",
    "karpenter.azure.com": "platform",
    "karpenter.k8s.aws": "platform",
    "karpenter.sh": "platform",
    "keda.sh": "keda",
    "kubeai.org": "kubeai",
    "kubeflow.org": "kubeflow",
    "kubernetes.crossplane.io": "wrappers",
    "kubernetes.dask.org": "dask",
    "kubernetes.m.crossplane.io": "wrappers",
    "kubevirt.io": "kubevirt",
    "kueue.x-k8s.io": "kueue",
    "kustomize.toolkit.fluxcd.io": "platform",
    "leaderworkerset.x-k8s.io": "lws",
    "llmaz.io": "llmaz",
    "machinelearning.seldon.io": "seldon",
    "mlops.seldon.io": "seldon",
    "model.aibrix.ai": "aibrix",
    "monitoring.coreos.com": "monitoring",
    "networking.gke.io": "gke",
    "networking.serving.volcano.sh": "kthena",
    "nfd.k8s-sigs.io": "platform",
    "nvidia.com": "nvidia",
    "ome.io": "ome",
    "orchestration.aibrix.ai": "aibrix",
    "ray.io": "ray",
    "resource.nvidia.com": "nvidia",
    "route.openshift.io": "openshift",
    "scheduler.grove.io": "grove",
    "scheduling.volcano.sh": "volcano",
    "serving.knative.dev": "knative",
    "serving.kserve.io": "kserve",
    "serving.kubeflow.org": "kserve",
    "serving.yatai.ai": "bento",
    "source.toolkit.fluxcd.io": "platform",
    "slinky.slurm.net": "slinky",
    "sparkoperator.k8s.io": "spark",
    "tekton.dev": "tekton",
    "template.openshift.io": "openshift",
    "topology.volcano.sh": "volcano",
    "trainer.kubeflow.org": "trainer",
    "work.open-cluster-management.io": "wrappers",
    "workload.codeflare.dev": "kueue",
    "workload.serving.volcano.sh": "kthena",
    "workloads.x-k8s.io": "rbg",
    "scheduling.run.ai": "kai",
}
"""The file of each API group. Within a phase of applying, kinds have the order of the files."""
_FILES = tuple(dict.fromkeys(HOMES.values()))
_PHASES: tuple[Phase, ...] = get_args(Phase)
_LAST = (len(_PHASES), 0, 0)


def kind_of(group: str, name: str) -> Kind | None:
    """Return the record of a kind in an API group (empty for the core one), or None."""
    home = HOMES.get(group)
    return None if home is None else _by_name(home).get((group, name))


def guessed(group: str, name: str) -> Kind:
    """Return the record for a kind outside of the table whose objects contain pods."""
    return Kind(group, name, "workload", part=_uncounted, completed=True, image_filled=True)


def _uncounted(value: object, inside: object) -> PodGroupKind:
    return PodGroupKind("pod", None, None)


def traits_of(group: str, name: str) -> Kind:
    """Return the record of a kind; for an unknown kind, an empty record."""
    return kind_of(group, name) or Kind(group, name, "workload")


@cache
def pod_labels() -> dict[str, str]:
    """Return the labels of pods whose value is the name of an object other than the owner, each
    with the object's kind."""
    return {kind.pod_label: kind.name for kind in kinds() if kind.pod_label}


@cache
def scalable_kinds() -> frozenset[str]:
    """Return the names of the kinds with pods, of any group, that an autoscaler can scale."""
    return frozenset(kind.name for kind in kinds() if kind.scaled and kind.holds_pods)


def kinds() -> tuple[Kind, ...]:
    """Return all kinds, in the order in which objects are applied."""
    unsorted = (kind for home in _FILES for kind in _by_name(home).values())
    return tuple(sorted(unsorted, key=lambda kind: rank_of(kind.group, kind.name)))


@cache
def rank_of(group: str, name: str) -> tuple[int, int, int]:
    """Return the position in the order of applying; unknown kinds come behind all others."""
    kind = kind_of(group, name)
    if kind is None:
        return _LAST
    home = HOMES[group]
    place = list(_by_name(home)).index((group, name))
    return _PHASES.index(kind.phase), _FILES.index(home), place


@cache
def _by_name(home: str) -> dict[tuple[str, str], Kind]:
    records: tuple[Kind, ...] = import_module(f"gpuspec.kinds.{home}").KINDS
    return {(kind.group, kind.name): kind for kind in records}
