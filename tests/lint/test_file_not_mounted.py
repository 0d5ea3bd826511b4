"""GPU822: files of ConfigMaps on command lines, and keys that are mounted alone."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

CONFIG = an("v1", "ConfigMap", "picker", data={"pd.yaml": "a: b"}, binaryData={"x.bin": "eA=="})


def _said(
    *words: str, mount: dict[str, Any] | None = None, volume: dict[str, Any] | None = None
) -> list[Finding]:
    mounted = {"name": "config", "mountPath": "/config/", **(mount or {})}
    one = {"name": "main", "image": "a:1", "args": list(words), "volumeMounts": [mounted]}
    source = {"name": "picker", **(volume or {})}
    spec = {"containers": [one], "volumes": [{"name": "config", "configMap": source}]}
    return of("GPU822", text(an("v1", "Pod", "p", spec=spec), CONFIG))


@pytest.mark.parametrize(
    "words", [["--config-file", "/config/default.yaml"], ["--config-file=/config/default.yaml"]]
)
def test_a_file_that_is_not_there(words: list[str]) -> None:
    (found,) = _said(*words)
    assert "has no file `default.yaml`" in found.message
    assert found.severity == "warning"


@pytest.mark.parametrize(
    "word",
    [
        "/config/pd.yaml",
        "--config-file=/config/x.bin",
        "/config",
        "/config/",
        "/config/deep/er.yaml",
        "/configs/default.yaml",
        "/config/$(NAME)",
        "test -f /config/default.yaml && cat /config/default.yaml",
    ],
)
def test_what_is_there_or_nobody_knows(word: str) -> None:
    assert _said(word) == []


def test_items_say_which_files_there_are() -> None:
    volume = {"items": [{"key": "pd.yaml", "path": "config.yaml"}]}
    assert _said("/config/config.yaml", volume=volume) == []
    assert len(_said("/config/pd.yaml", volume=volume)) == 1


@pytest.mark.parametrize(("key", "count"), [("pd.yaml", 0), ("default.yaml", 1), ("a/b", 0)])
def test_a_key_that_is_mounted_alone(key: str, count: int) -> None:
    found = _said(mount={"mountPath": "/etc/pd.yaml", "subPath": key})
    assert [one.path for one in found] == ["spec.containers[0].volumeMounts[0].subPath"] * count


def test_what_may_be_missing() -> None:
    assert _said("/config/default.yaml", volume={"optional": True}) == []
    assert _said("/config/default.yaml", volume={"name": "other"}) == []
