"""GPU814: beyond what its page shows."""

import pytest

from gpuspec.lint.raised import RaisedFinding
from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: work}
spec:
  containers:
    - name: main
      image: lmsysorg/sglang:v0.5.2
      command: [python3, -m, sglang.launch_server]
      args: [--model-path, /m]
      readinessProbe: {httpGet: {path: /health, port: 30000}}
      resources: {limits: {nvidia.com/gpu: 1}}
"""
PROXY = "    - {name: proxy, image: registry.example.com/proxy:1}\n"


def said(text: str) -> list[RaisedFinding]:
    return [one for one in raised(text) if one.rule.code == "GPU814"]


def test_a_server_that_listens_inside_unless_told() -> None:
    (one,) = said(POD)
    assert one.finding().path == "spec.containers[0].args"
    assert (
        "unless `--host` is set: `readinessProbe` connects to the pod's address"
        in one.found.message
    )
    assert one.found.fix is not None
    assert [change.value for change in one.found.fix.changes] == ["--host", "0.0.0.0"]  # type: ignore[union-attr]


def test_without_a_probe_only_a_pod_of_its_own_is_asked() -> None:
    bare = POD.replace("      readinessProbe: {httpGet: {path: /health, port: 30000}}\n", "")
    (one,) = said(bare)
    assert one.found.confidence == "likely"
    assert "clients cannot connect" in one.found.message
    assert not said(bare + PROXY)
    assert said(POD + PROXY)


@pytest.mark.parametrize(
    "args",
    [
        "[--model-path, /m, --host, 0.0.0.0]",
        "[--model-path, /m, '--host=::']",
        "[--model-path, /m, --host, $(POD_IP)]",
        "[--model-path, /m, --config, /etc/sglang.yaml]",
        "[--model-path, /m, $EXTRA]",
    ],
)
def test_what_listens_elsewhere_or_is_not_known(args: str) -> None:
    assert not said(POD.replace("[--model-path, /m]", args))


def test_a_probe_from_within() -> None:
    exec_ = "exec: {command: [curl, localhost:30000/health]}"
    within = POD.replace("httpGet: {path: /health, port: 30000}", exec_)
    assert not said(within + PROXY)


def test_what_is_told_to() -> None:
    (one,) = said(POD.replace("/m]", "/m, --host, localhost]"))
    assert one.finding().path == "spec.containers[0].args[3]"
    assert "is set to listen on localhost" in one.found.message


OTHER = """\
apiVersion: v1
kind: Pod
metadata: {name: work}
spec:
  containers:
    - name: main
      image: registry.example.com/comfyui:v1
      command: [COMMAND]
      env: [ENV]
      readinessProbe: {httpGet: {path: /, port: 8188}}
      resources: {limits: {nvidia.com/gpu: 1}}
"""


def others(command: str, env: str = "") -> list[RaisedFinding]:
    return said(OTHER.replace("COMMAND", command).replace("ENV", env))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            "python, main.py, --port, '8188'",
            "ComfyUI listens on 127.0.0.1 unless `--listen` is set",
        ),
        ("sh, -c, 'cd /app && python3 main.py'", "ComfyUI listens on 127.0.0.1 unless `--listen`"),
        ("python, launch.py, --api", "Stable Diffusion web UI listens on 127.0.0.1"),
        (
            "uvicorn, 'app:app', --port, '8188'",
            "uvicorn listens on 127.0.0.1 unless `--host` is set",
        ),
        (
            "python, -m, uvicorn, 'app:app', --host, localhost",
            "uvicorn is set to listen on localhost",
        ),
        ("mlc_llm, serve, m", "MLC LLM listens on 127.0.0.1"),
    ],
)
def test_other_programs_that_listen_inside(command: str, words: str) -> None:
    (one,) = others(command)
    assert one.found.message.startswith(words)
    assert one.finding().severity == "warning"


@pytest.mark.parametrize(
    ("command", "env"),
    [
        ("python, main.py, --listen", ""),
        ("python, main.py, --listen, 0.0.0.0", ""),
        ("python, launch.py", "{name: COMMANDLINE_ARGS, value: --listen}"),
        ("uvicorn, 'app:app', --host, 0.0.0.0", ""),
        ("uvicorn, 'app:app', $(FLAGS)", ""),
        ("uvicorn, 'app:app', --uds, /tmp/socket", ""),
        ("mlc_llm, chat, m", ""),
        ("gunicorn, -k, uvicorn.workers.UvicornWorker, 'app:app'", ""),
    ],
)
def test_silent_for_programs_that_are_told(command: str, env: str) -> None:
    assert others(command, env) == []


def test_a_main_of_another_program_is_not_known() -> None:
    text = (
        OTHER.replace("comfyui", "train").replace("COMMAND", "python, main.py").replace("ENV", "")
    )
    assert said(text) == []
