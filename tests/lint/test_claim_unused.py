"""Claims that a pod holds, and who counts as their user."""

from typing import Any

import pytest

from tests.lint.patched import of
from tests.lint.plain import an, text

CLAIMED: dict[str, dict[str, Any]] = {
    "devices": {"resourceClaims": [{"name": "gpus", "resourceClaimTemplateName": "one-gpu"}]},
    "storage": {"volumes": [{"name": "gpus", "persistentVolumeClaim": {"claimName": "c"}}]},
    "ephemeral": {"volumes": [{"name": "gpus", "ephemeral": {"volumeClaimTemplate": {}}}]},
}
USES: list[dict[str, Any]] = [
    {"resources": {"claims": [{"name": "gpus"}]}},
    {"resources": {"claims": [{"name": "gpus", "request": "a"}]}},
    {"volumeMounts": [{"name": "gpus", "mountPath": "/x"}]},
    {"volumeDevices": [{"name": "gpus", "devicePath": "/dev/x"}]},
]


def _said(spec: dict[str, Any], **metadata: Any) -> list[str]:
    pod = an("v1", "Pod", spec=spec)
    pod["metadata"].update(metadata)
    return [one.path for one in of("GPU109", text(pod))]


def _pod(claimed: str, **container: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "a:1", **container}], **CLAIMED[claimed]}


@pytest.mark.parametrize("claimed", CLAIMED)
class TestPods:
    def test_nobody_uses_it(self, claimed: str) -> None:
        assert len(_said(_pod(claimed))) == 1

    @pytest.mark.parametrize("use", USES)
    def test_a_container_uses_it(self, claimed: str, use: dict[str, Any]) -> None:
        assert not _said(_pod(claimed, **use))

    def test_an_init_container_uses_it(self, claimed: str) -> None:
        spec = _pod(claimed)
        spec["initContainers"] = [{"name": "first", "image": "a:1", **USES[0], **USES[2]}]
        assert not _said(spec)

    def test_an_injector_is_told_of_it(self, claimed: str) -> None:
        assert not _said(_pod(claimed), annotations={"example.com/mount": "gpus:/x"})

    def test_placeholders_hide_the_name(self, claimed: str) -> None:
        spec = _pod(claimed)
        for field in ("volumes", "resourceClaims"):
            for each in spec.get(field, ()):
                each["name"] = "${NAME}"
        spec["resourceClaims"] = [{**one} for one in spec.get("resourceClaims", ())]
        assert not _said(spec)
