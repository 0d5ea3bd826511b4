"""Variables that ConfigMaps of the set give: they are read as a container's own are."""

import subprocess
import sys
from pathlib import Path

import gpuspec
from gpuspec.lint.model import Finding

POD = """---
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: ml}}
spec:
  containers:
    - name: main
      image: vllm/vllm-openai:v0.10.0
      env: [{env}]
      envFrom: [{sources}]
      resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""
CONFIG = """apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}, namespace: ml}}
data: {{{data}}}
"""
GIVEN = "{configMapRef: {name: given}}"
RULES = ("GPU704", "GPU706", "GPU708")


def said(text: str, tmp_path: Path) -> list[Finding]:
    (tmp_path / "it.yaml").write_text(text)
    return list(gpuspec.lint(str(tmp_path), select=RULES).findings)


def pod(sources: str = GIVEN, env: str = "", name: str = "it") -> str:
    return POD.format(name=name, sources=sources, env=env)


def config(data: str, name: str = "given") -> str:
    return CONFIG.format(name=name, data=data)


def test_a_misspelled_one_is_said_where_it_stands(tmp_path: Path) -> None:
    (found,) = said(config("NCCL_SOCKET_IFNAM: eth0") + pod(), tmp_path)
    assert (found.rule, found.path) == ("GPU704", "data.NCCL_SOCKET_IFNAM")
    assert found.object is not None and found.object.kind == "ConfigMap"


def test_a_value_that_is_not_taken_and_a_name_that_went(tmp_path: Path) -> None:
    data = "NCCL_DEBUG: LOUD, NCCL_ASYNC_ERROR_HANDLING: '1'"
    assert {one.rule for one in said(config(data) + pod(), tmp_path)} == {"GPU706", "GPU708"}


def test_what_several_pods_are_given_is_said_once(tmp_path: Path) -> None:
    text = config("NCCL_SOCKET_IFNAM: eth0") + pod() + pod(name="other")
    assert len(said(text, tmp_path)) == 1


def test_a_map_that_nobody_reads_so_is_data(tmp_path: Path) -> None:
    wrong = config("NCCL_SOCKET_IFNAM: eth0")
    assert not said(wrong + pod(sources="{configMapRef: {name: other}}"), tmp_path)
    assert not said(wrong + pod(sources="{prefix: X_, configMapRef: {name: given}}"), tmp_path)


def test_what_is_laid_over_does_not_count(tmp_path: Path) -> None:
    wrong = config("NCCL_DEBUG: LOUD")
    assert said(wrong + pod(), tmp_path)
    own = "{name: NCCL_DEBUG, value: INFO}"
    assert not said(wrong + pod(env=own), tmp_path)
    later = config("NCCL_DEBUG: INFO", "later")
    both = f"{GIVEN}, {{configMapRef: {{name: later}}}}"
    assert not said(f"{wrong}---\n{later}{pod(both)}", tmp_path)


def test_a_fix_gives_the_entry_its_name(tmp_path: Path) -> None:
    (tmp_path / "it.yaml").write_text(config("NCCL_SOCKET_IFNAM: eth0") + pod())
    command = [sys.executable, "-m", "gpuspec", "lint", "--fix", "--unsafe-fixes", "it.yaml"]
    subprocess.run([*command, "--select", "GPU704"], cwd=tmp_path, capture_output=True, check=False)
    assert "data: {NCCL_SOCKET_IFNAME: eth0}" in (tmp_path / "it.yaml").read_text()


def test_one_whose_right_name_is_there_too_is_not_renamed(tmp_path: Path) -> None:
    data = "NCCL_SOCKET_IFNAM: eth0, NCCL_SOCKET_IFNAME: eth1"
    (found,) = said(config(data) + pod(), tmp_path)
    assert found.fix is None
