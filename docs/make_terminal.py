"""Write the page of what commands look like on narrow terminals: `python docs/make_terminal.py`."""

import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "terminal.md"
WIDTHS = (80, 60)
PROFILE = "-c examples/clusters/bare-metal.yaml"
REDRAWN = "\r\x1b[K"
COMMANDS = (
    "gpuspec --help",
    f"gpuspec explain examples/chat.yaml {PROFILE} --path resources",
    "gpuspec render examples/pretrain.yaml -c examples/clusters/gke.yaml",
    f"gpuspec lint try.yaml {PROFILE} --severity error",
    f"gpuspec fit examples/chat.yaml {PROFILE}",
    f"gpuspec fleet report {PROFILE}",
    "gpuspec table examples/rendered/bare-metal/chat.yaml examples/rendered/bare-metal/pretrain.yaml",
    "gpuspec diff examples/rendered/bare-metal/chat.yaml examples/rendered/gke/chat.yaml",
    "gpuspec lnit .",
)
POD = """apiVersion: v1
kind: Pod
metadata: {name: try, namespace: default}
spec:
  nodeSelector:
    nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB
  containers:
    - name: main
      image: pytorch/pytorch:2.9.1-cuda13.0-cudnn9-runtime
      command: [python, eval.py]
      resources:
        limits: {nvidia.com/gpu: 1, memory: 64Gi}
"""
HEAD = """# On a terminal

<!-- Made by docs/make_terminal.py from what the commands print. Do not edit. -->

This page shows the output of commands on terminals of 80 and of 60 columns. Lines are folded between words, and tables
that are too wide become paragraphs. In a pipe nothing is folded. The output here has no colours; `--color never` and
`NO_COLOR` turn them off.
"""


def shown(command: str, columns: int, folder: Path) -> str:
    """What a terminal of so many columns shows of a command that runs in a folder."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": tools, "HOME": str(folder), "TERM": "xterm", "NO_COLOR": "1"}
    with subprocess.Popen(
        command.split(),
        cwd=folder,
        env=environment | {"LC_ALL": "C.UTF-8"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ):
        os.close(theirs)
        sent = b""
        try:
            while part := os.read(ours, 65536):
                sent += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    lines = sent.decode().replace("\r\n", "\n").split("\n")
    # A bar, which a slow machine shows, is gone again when the command is done.
    return "\n".join(line.rpartition(REDRAWN)[2] for line in lines)


def captures() -> dict[tuple[str, int], str]:
    """What each command shows at each width."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "examples", folder / "examples")
        (folder / "try.yaml").write_text(POD)
        return {(one, at): shown(one, at, folder) for one in COMMANDS for at in WIDTHS}


def text(made: dict[tuple[str, int], str]) -> str:
    """The page."""
    lines = [HEAD]
    for command in COMMANDS:
        lines += [f"## `{command}`", ""]
        for columns in WIDTHS:
            ruler = "-" * columns
            lines += ["```text", ruler, made[command, columns].rstrip("\n"), "```", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(captures()), encoding="utf-8")
