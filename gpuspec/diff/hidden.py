"""Mask secrets: the data of Secrets, and values of variables with such names."""

from __future__ import annotations

import re
from typing import Any

from gpuspec.diff.steps import Pick, Steps

MASK = "(hidden)"
_DATA = ("data", "stringData")
_NAMES = r"(?:TOKEN|PASSWORD|PASSWD|SECRET|API_?KEY|ACCESS_KEY|CREDENTIALS?)$"
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def opened(kind: tuple[str, str], value: dict[str, Any]) -> dict[str, Any]:
    """Return the object with every entry of a Secret as a field of its own, since its name is
    shown."""
    if kind != ("", "Secret"):
        return value
    return value | {name: value.get(name) or {} for name in _DATA}


def is_hidden(kind: tuple[str, str], steps: Steps) -> bool:
    """Return whether the value of a field is a secret."""
    if kind == ("", "Secret") and (steps[0] in _DATA or _APPLIED in steps):
        return True
    for at, step in enumerate(steps[:-1]):
        after = steps[at + 1]
        if step == "env":
            name = after.text.removeprefix("name=") if isinstance(after, Pick) else after
            below = steps[at + 2 :]
            if _is_secret(name) and (not below or below[0] == "value"):
                return isinstance(after, str) or bool(below)
    return False


def masked(value: Any) -> Any:
    """Return the value with secrets masked."""
    if isinstance(value, list):
        return [masked(item) for item in value]
    if not isinstance(value, dict):
        return value
    name = value.get("name")
    if isinstance(name, str) and isinstance(value.get("value"), str) and _is_secret(name):
        return value | {"value": MASK}
    return {
        key: _masked_env(inner) if key == "env" and isinstance(inner, dict) else masked(inner)
        for key, inner in value.items()
    }


def _masked_env(env: dict[str, Any]) -> dict[str, Any]:
    """Mask the variables of a spec, which are a mapping by name."""
    return {
        name: MASK if isinstance(value, str) and _is_secret(name) else masked(value)
        for name, value in env.items()
    }


def _is_secret(name: str) -> bool:
    return re.search(_NAMES, name, re.IGNORECASE) is not None
