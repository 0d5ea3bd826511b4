"""Compare the nodes that a pod can run on: GPU models, pools, spot capacity."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from gpuspec.diff.model import ChangeRemark

if TYPE_CHECKING:
    from collections.abc import Iterator

# Label keys of the providers' documentation that name a group of nodes.
POOLS = (
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "node.kubernetes.io/instance-type",
)


def remarks(head: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[ChangeRemark]:
    """Yield the changes of the nodes that a pod's spec selects."""
    before, after = wanted(old), wanted(new)
    if (models := _models(before)) != (others := _models(after)):
        yield ChangeRemark("placement", f"{head}GPU model {_said(models)} → {_said(others)}")
    for key in POOLS:
        if before.get(key) != after.get(key):
            place_kind = "instance type" if key.endswith("instance-type") else "pool"
            remark_text = (
                f"{head}{place_kind} {_said(before.get(key, ()))} → {_said(after.get(key, ()))}"
            )
            yield ChangeRemark("placement", remark_text)
    if (spot := _spot(before)) != (others_spot := _spot(after)):
        remark_text = "on spot nodes only" if others_spot else "no longer on spot nodes only"
        yield ChangeRemark("placement", f"{head}{remark_text}", alarm=others_spot and not spot)


def wanted(spec: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return label values of which a node must have one: from `nodeSelector` and required node
    affinity.

    Of several terms, which are alternatives, only the labels that all of them require, with all
    values.
    """
    required_values: dict[str, tuple[str, ...]] = {}
    terms = _required(spec)
    if terms:
        every = [_term(term) for term in terms]
        for key in every[0]:
            if all(key in term_values for term_values in every):
                required_values[key] = tuple(
                    sorted({value for term_values in every for value in term_values[key]})
                )
    selector = spec.get("nodeSelector")
    if isinstance(selector, dict):
        required_values |= {str(key): (str(value),) for key, value in selector.items()}
    return required_values


def _required(spec: dict[str, Any]) -> list[dict[str, Any]]:
    value: Any = spec
    for step in (
        *("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
        "nodeSelectorTerms",
    ):
        value = value.get(step) if isinstance(value, dict) else None
    return [term for term in value if isinstance(term, dict)] if isinstance(value, list) else []


def _term(term: dict[str, Any]) -> dict[str, set[str]]:
    values_by_key: dict[str, set[str]] = {}
    listed = term.get("matchExpressions")
    for expression in listed if isinstance(listed, list) else ():
        values = expression.get("values") if isinstance(expression, dict) else None
        if isinstance(values, list) and expression.get("operator") == "In":
            values_by_key[str(expression.get("key"))] = {str(value) for value in values}
    return values_by_key


def _models(labels: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the GPU models in labels; an unknown value stands for itself."""
    from gpuspec.hardware import from_label

    names: dict[str, None] = {}
    for key in _products():
        for value in labels.get(key, ()):
            gpu_models = from_label(key, value)
            names |= dict.fromkeys([gpu_model.name for gpu_model in gpu_models] or [value])
    return tuple(sorted(names))


@cache
def _products() -> tuple[str, ...]:
    from gpuspec.hardware import labellers

    return tuple(labeller.product for labeller in labellers().values() if labeller.product)


def _spot(labels: dict[str, tuple[str, ...]]) -> bool:
    from gpuspec.hardware import SPOT_LABELS

    return any(labels.get(key) == (value,) for key, value in SPOT_LABELS.items())


def _said(values: tuple[str, ...]) -> str:
    return " or ".join(values) or "any"
