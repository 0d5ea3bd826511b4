"""Pages whose commands need hosts: run here, with all blocks that the tests of documentation run."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.docs.test_commands import BLOCK, ROOT, commands, missing


def follow(page: Path, folder: Path, programs: Mapping[str, Path], wanted: str) -> int:
    """Follow a page in a folder with these programs by their names on the page; how many of its
    commands that need `wanted` were run."""
    for name in ("examples", "templates"):
        shutil.copytree(ROOT / name, folder / name)
    tools = folder / ".bin"
    tools.mkdir()
    for name, program in programs.items():
        (tools / name).symlink_to(program)
    count = 0
    for block in BLOCK.finditer(page.read_text()):
        mark, said, text = block["mark"], block["said"], block["text"]
        if mark == "file":
            (folder / said).parent.mkdir(parents=True, exist_ok=True)
            (folder / said).write_text(text)
        elif block["language"] in ("console", "sh") and (mark is None or said == f"needs {wanted}"):
            for command in commands(block["language"], text):
                output = _run(command.text, folder, tools)
                line = missing(command.shown, output)
                assert line is None, f"$ {command.text}\ndoes not print: {line}\n\n{output}"
                count += mark is not None
    return count


def _run(command: str, folder: Path, tools: Path) -> str:
    path = [str(tools), str(Path(sys.executable).parent), os.environ["PATH"]]
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={
            "PATH": os.pathsep.join(path),
            "HOME": str(folder),
            "HELM_PLUGINS": str(ROOT / "deploy/helm"),
            "LC_ALL": "C.UTF-8",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"$ {command}\nexit {done.returncode}\n{done.stdout}"
    return done.stdout
