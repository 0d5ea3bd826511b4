"""Objects of many kinds with one and the same pod: see `borrowed.yaml`."""

from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
BASES = HERE / "bases"


def borrowed() -> list[dict[str, Any]]:
    """The objects of `borrowed.yaml`, with their pods."""
    parts: dict[str, Any] = {}
    for template, name in (("SERVER", "deployment"), ("RUN", "job")):
        whole, *_ = yaml.safe_load_all((BASES / f"{name}.yaml").read_text())
        pod = whole["spec"]["template"]
        parts |= {name.upper(): whole, template: pod, f"{template}.spec": pod["spec"]}
        fields = dict(pod["spec"])
        parts[f"{template}.steps"] = [_step(one) for one in fields.pop("containers")]
        parts[f"{template}.fields"] = fields
    text = (HERE / "borrowed.yaml").read_text()
    return [_filled(value, parts) for value in yaml.safe_load_all(text)]


def _step(container: dict[str, Any]) -> dict[str, Any]:
    step = dict(container)
    step["computeResources"] = step.pop("resources")
    return step


def _filled(value: Any, parts: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(inner, parts) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, parts) for inner in value]
    return parts.get(value, value) if isinstance(value, str) else value
