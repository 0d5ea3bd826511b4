"""What users install: the wheel, built from the source distribution, in a clean environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SPEC = "examples/chat.yaml"
PROFILE = "examples/clusters/bare-metal.yaml"


def run(*command: str | Path, cwd: Path) -> bytes:
    """The command's stdout; when it fails, its stderr is the test's message."""
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME"}}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, f"{command}:\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout


def test_wheel_of_the_sdist_renders_elsewhere_what_the_checkout_renders(tmp_path: Path) -> None:
    dist, home, elsewhere = tmp_path / "dist", tmp_path / "venv", tmp_path / "elsewhere"
    run(sys.executable, "-m", "build", "--outdir", dist, ROOT, cwd=tmp_path)
    (wheel,) = dist.glob("gpuspec-*.whl")

    run(sys.executable, "-m", "venv", home, cwd=tmp_path)
    pip = [home / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, wheel, cwd=tmp_path)

    elsewhere.mkdir()
    for example in (SPEC, PROFILE):
        (elsewhere / example).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / example, elsewhere / example)
    arguments = ["render", SPEC, "-c", PROFILE]
    installed = run(home / "bin/gpuspec", *arguments, cwd=elsewhere)
    assert b"kind: Deployment" in installed
    assert installed == run(sys.executable, "-m", "gpuspec", *arguments, cwd=ROOT)
