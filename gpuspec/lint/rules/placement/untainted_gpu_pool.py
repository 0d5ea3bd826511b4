"""Nodes with GPUs that any pod may be placed on."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.node_pools import is_simulated, node_pools, template
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU861",
    "untainted-gpu-pool",
    "warning",
    "Karpenter creates GPU nodes without a taint",
    fix="unsafe",
)
_TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield NodePools whose requirements only GPU machines meet."""
    for pool in node_pools(collection):
        obj = pool.object
        node_template = template(obj)
        if not pool.gpus or node_template.get("taints") or is_simulated(obj):
            continue
        if _may_taint(obj, collection):
            continue
        path = obj.path("spec", "template", "spec", "taints")
        yield RawFinding(
            path,
            f"GPU nodes of NodePool `{obj.name}` have no taint: pods without GPUs may take the "
            "CPU and memory that GPU pods need, and GPUs stay idle",
            note="taint the nodes, and add the toleration to the GPU pods",
            object=obj.number,
            confidence="likely",
            fix=set_field(path, [_TAINT]),
        )


def _may_taint(pool: Object, collection: Collection) -> bool:
    """Return whether its node class may taint the nodes through kubelet settings."""
    ref = mapping(template(pool).get("nodeClassRef"))
    obj = collection.named(text(ref.get("group")), text(ref.get("kind")), text(ref.get("name")))
    return obj is not None and "taint" in str(obj.spec.get("userData")).lower()
