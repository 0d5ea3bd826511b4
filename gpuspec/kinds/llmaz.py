"""llmaz: servers of models, by a backend's runtime or as groups of pods. Source: its CRDs."""

from gpuspec.kinds.common import leader_and_workers, served
from gpuspec.kinds.model import Flat, Kind, Reference
from gpuspec.kinds.owned import REPLICAS

GROUP = "inference.llmaz.io"

KINDS = (
    Kind("llmaz.io", "OpenModel", "runtime", namespaced=False),
    Kind(GROUP, "BackendRuntime", "runtime", namespaced=False),
    served(
        GROUP,
        "Playground",
        Flat("spec.backendRuntimeConfig"),
        refers=(Reference("spec.modelClaim", "modelName", "llmaz.io", "OpenModel"),),
        scaled=REPLICAS,
    ),
    Kind(
        GROUP,
        "Service",
        "workload",
        templates=("spec.workloadTemplate.leaderTemplate", "spec.workloadTemplate.workerTemplate"),
        life="service",
        part=leader_and_workers("workloadTemplate"),
        completed=True,
        image_filled=True,
        scaled=REPLICAS,
    ),
)
