"""GPU739: beyond what its page shows."""

import pytest

from gpuspec.lint.raised import RaisedFinding
from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: work}
spec:
  restartPolicy: Never
  containers:
    - name: main
      image: IMAGE
      LINE
      resources: {limits: {nvidia.com/gpu: 1}}
"""
OWN = "registry.example.com/work:1"
VLLM = "vllm/vllm-openai:v0.11.0"
TGI = "ghcr.io/huggingface/text-generation-inference:3.1.0"


def said(line: str, image: str = OWN) -> list[RaisedFinding]:
    text = POD.replace("IMAGE", image).replace("LINE", line.replace("\n", "\n      "))
    return [one for one in raised(text) if one.rule.code == "GPU739"]


@pytest.mark.parametrize(
    ("line", "path", "words"),
    [
        ('command: ["python train.py"]', "command[0]", "looks for a program named `python train.py`"),
        ("command: [\"sh -c 'echo 1'\"]", "command[0]", "looks for a program named"),
        ('command: [sh, -c, python, train.py]', "command[3]", "runs `python` alone"),
        ('command: [bash, -c]\nargs: [python, train.py]', "args[1]", "runs `python` alone"),
        ('command: [bash, -c]\nargs: [pip install x, python train.py]', "args[1]", "only `pip install x`"),
        ("command: [/bin/bash, -lc]", "command[1]", "has no script"),
        ("command: [bash, -c, --]\nargs: [python, train.py]", "args[1]", "runs `python` alone"),
        ('command: [torchrun, train.py, "--epochs 3"]', "command[2]", "no option of that name"),
        ('command: [python, train.py]\nargs: ["--epochs 3"]', "args[0]", "no option of that name"),
    ],
)  # fmt: skip
def test_what_never_starts_as_it_is_meant(line: str, path: str, words: str) -> None:
    (one,) = said(line)
    assert one.finding().path == f"spec.containers[0].{path}"
    assert words in one.finding().message


def test_a_variable_with_several_words_becomes_one() -> None:
    line = 'command: [vllm, serve, /m, $(MORE)]\nenv: [{name: MORE, value: "--dtype bfloat16 --seed 1"}]'
    (one,) = said(line, VLLM)
    assert one.finding().path == "spec.containers[0].command[3]"
    assert (
        "replaces `$(MORE)` with all of `--dtype bfloat16 --seed 1`, as one argument"
        in one.finding().message
    )
    assert not said(line.replace("--dtype bfloat16 --seed 1", "--enforce-eager"), VLLM)
    assert not said(
        line.replace("[vllm, serve, /m, $(MORE)]", "[sh, -c, vllm serve /m $(MORE)]"), VLLM
    )


@pytest.mark.parametrize(
    "line",
    [
        "command: [python, train.py, --epochs, '3']",
        'command: ["/opt/my tools/run"]',
        'command: [bash, -c, "python train.py --epochs 3"]',
        "command: [bash, -c, 'exec \"$@\"', --, python, train.py]",
        "command: [sh, -c, 'echo $0', work]",
        'command: [bash, -c, --]\nargs: ["sleep 5; echo"]',
        "command: [bash, -c, -x, 'python a.py']",
        "command: [bash, run.sh, '--epochs 3']",
        "command: [bash, -ec, 'python a.py', run]",
        'command: [python, -c, "import torch; print(torch)"]',
        "command: [torchrun, train.py, --launcher-args, '--epochs 3']",
        'command: [torchrun, train.py, "--prompt=two words"]',
        "command: [echo, '--a b']",
        "command: [nsenter, -t, '1', --, sh, -c, 'a', '&&']",
        "command: [bash, run.sh, '&&', x]",
        "args: [python, a.py, '&&', x]",
        "command: [jq, '.a | .b', '&&b']",
    ],
)
def test_what_is_divided_as_it_is_read(line: str) -> None:
    assert not said(line)


def test_a_server_in_its_own_image() -> None:
    (one,) = said('args: ["--model /models/m", --port, "8000"]', VLLM)
    assert one.finding().severity == "error"
    assert "vLLM has no option" in one.finding().message
    assert one.found.fix is not None
    assert one.found.fix.changes[0].value == ["--model", "/models/m", "--port", "8000"]  # type: ignore[union-attr]


def test_an_entrypoint_that_divides_its_arguments() -> None:
    assert not said('args: ["--model-id org/model"]', TGI)


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ('command: ["python train.py"]', ["python", "train.py"]),
        ('command: ["python train.py && echo done"]', ["/bin/sh", "-c", "python train.py && echo done"]),
        ('command: [sh, -c, python, train.py]', ["sh", "-c", "python train.py"]),
        ('command: [sh, -c]\nargs: [cd /x, python train.py]', ["cd /x && python train.py"]),
    ],
)  # fmt: skip
def test_its_fix(line: str, fixed: list[str]) -> None:
    (one,) = said(line)
    assert one.found.fix is not None
    (change,) = one.found.fix.changes
    assert change.value == fixed  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "severity", "part"),
    [
        ("command: [cd, /x, '&&', python, a.py]", "error", "there is no program `cd`"),
        (
            "command: [python, a.py]\nargs: ['&&', sleep, '5']",
            "warning",
            "the command after it never runs",
        ),
        ("command: [python, a.py, '2>&1', '|', tee, /log]", "warning", "nothing is redirected"),
        ("command: [nvidia-smi, '||', 'true']", "warning", "`nvidia-smi` gets the argument `||`"),
    ],
)
def test_what_only_a_shell_understands(line: str, severity: str, part: str) -> None:
    (one,) = said(line)
    assert one.finding().severity == severity
    assert part in one.found.message
