"""GPU986: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: work}}
spec:
  restartPolicy: Never
  containers:
    - name: main
      image: {image}
      command: {command}
      {more}
      resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""
UBUNTU = "nvidia/cuda:12.6.3-devel-ubuntu22.04"


def said(
    script: str, shell: tuple[str, ...] = ("bash", "-c"), image: str = UBUNTU, more: str = ""
) -> list[str]:
    text = POD.format(image=image, command=json.dumps([*shell, script]), more=more)
    return [one.found.message for one in raised(text) if one.rule.code == "GPU986"]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("torchrun \\ train.py", "a backslash stands before a blank"),
        ("torchrun \\ \n  train.py", "a blank follows the backslash at the end of a line"),
        ("torchrun train.py \\\n  # the rate\n  --lr 1", "a comment stands between"),
        (
            "cd /app\ntorchrun train.py\n  --lr 1e-4\n  --epochs 3",
            "`--lr` begins a line of its own",
        ),
        ("python a.py --name 'my run", "a quote of the script is never closed"),
        ("conda activate train && python a.py", "`conda activate` is unknown"),
    ],
)
def test_what_a_shell_makes_of_it(script: str, words: str) -> None:
    (message,) = said(script)
    assert words in message


@pytest.mark.parametrize(
    "script",
    [
        "torchrun \\\n  train.py \\\n  --lr 1",
        "ls /my\\ files; sed 's/ \\\\ /x/' a",
        "torchrun train.py \\\n  --lr 1 \\\n  # --epochs 3\npython b.py",
        'args=(\n  --lr 1\n  --epochs 3\n)\npython a.py "${args[@]}"',
        "cat > f <<EOF\n--lr 1\nit's\nEOF\npython a.py",
        "# it's\npython a.py 'two\nlines' \"it's\"",
        "echo \"$(cat 'a')\"",
        "source /opt/conda/etc/profile.d/conda.sh\nconda activate train",
        'eval "$(conda shell.bash hook)"; conda activate train',
        "echo '{{workflow.name}} it'",
    ],
)
def test_what_it_reads_as_it_is_meant(script: str) -> None:
    assert said(script) == []


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("source /venv/bin/activate && python a.py", "`source` is not found"),
        ('if [[ "$RANK" == 0 ]]; then python a.py; fi', "`[[` is not found"),
        ("set -euo pipefail; python a.py", "`set -o pipefail` ends the script"),
        ("args=(--lr 1)\npython a.py", "the array is a syntax error"),
    ],
)
def test_what_is_written_for_bash(script: str, words: str) -> None:
    (message,) = said(script, ("/bin/sh", "-c"))
    assert words in message
    assert said(script) == []
    assert said(script, ("sh", "-c"), "registry.example.com/ours:1") == []
    assert said(script, ("sh", "-c"), "nvidia/cuda:12.6.3-devel-ubi9") == []


def test_a_login_shell_has_read_the_profile() -> None:
    assert said("conda activate train", ("bash", "-lc")) == []
    assert said("conda activate train", more="env: [{name: BASH_ENV, value: /etc/profile}]") == []


def test_probes_and_hooks() -> None:
    more = "livenessProbe: {exec: {command: [sh, -c, '[[ -f /tmp/ok ]]']}}"
    (message,) = said("python a.py", more=more)
    assert "`[[` is not found" in message
