"""GPU841: beyond what its page shows."""

from typing import Any

import pytest

from tests.lint.pages import raised
from tests.lint.plain import text
from tests.lint.sets import base

RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}


def said(uri: str, labels: dict[str, str]) -> list[str]:
    one: dict[str, Any] = base("inferenceservice")
    one["spec"]["predictor"]["model"]["storageUri"] = uri
    space = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "serving", "labels": labels},
    }
    found = raised(text(one, space))
    return [each.found.message for each in found if each.rule.code == "GPU841"]


def test_kserves_own_has_no_security_context() -> None:
    (message,) = said("s3://models/qwen", RESTRICTED)
    assert message.startswith("KServe's storage initializer downloads")
    assert "allowPrivilegeEscalation" in message
    assert "drop" in message


@pytest.mark.parametrize("uri", ["pvc://weights/qwen", "oci://registry.example.com/qwen"])
def test_what_is_not_downloaded(uri: str) -> None:
    assert not said(uri, RESTRICTED)


@pytest.mark.parametrize("level", ["baseline", "privileged"])
def test_levels_that_take_it(level: str) -> None:
    assert not said("s3://models/qwen", {"pod-security.kubernetes.io/enforce": level})
    assert not said("s3://models/qwen", {})
