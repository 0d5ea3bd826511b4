"""What users install: the wheel, built from the source distribution, in a clean environment."""

import os
import shutil
import subprocess
import sys
import zipfile
from email.parser import BytesParser
from pathlib import Path

from gpuspec import __version__

ROOT = Path(__file__).parent.parent
SPEC = "examples/chat.yaml"
PROFILE = "examples/clusters/bare-metal.yaml"
SHELLS = {
    "bash": "complete -o default -F _gpuspec_completion gpuspec",
    "zsh": "#compdef gpuspec",
    "fish": "complete --command gpuspec",
}


def run(*command: str | Path, cwd: Path) -> bytes:
    """The command's stdout; when it fails, its stderr is the test's message."""
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME"}}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, f"{command}:\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout


def test_wheel_of_the_sdist_renders_elsewhere_what_the_checkout_renders(tmp_path: Path) -> None:
    """As `pipx` and `uvx` do it: an environment of its own, the wheel, the program in its `bin`."""
    dist, home, elsewhere = tmp_path / "dist", tmp_path / "venv", tmp_path / "elsewhere"
    run(sys.executable, "-m", "build", "--outdir", dist, ROOT, cwd=tmp_path)
    (wheel,) = dist.glob("gpuspec-*.whl")
    check_metadata(wheel)

    run(sys.executable, "-m", "venv", home, cwd=tmp_path)
    pip: list[str | Path] = [
        home / "bin/python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    run(*pip, wheel, cwd=tmp_path)
    program = home / "bin/gpuspec"
    assert run(program, "--version", cwd=tmp_path).decode() == f"gpuspec {__version__}\n"
    check_completion(program, tmp_path)

    elsewhere.mkdir()
    for example in (SPEC, PROFILE):
        (elsewhere / example).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / example, elsewhere / example)
    arguments = ["render", SPEC, "-c", PROFILE]
    installed = run(program, *arguments, cwd=elsewhere)
    assert b"kind: Deployment" in installed
    assert installed == run(sys.executable, "-m", "gpuspec", *arguments, cwd=ROOT)


def check_metadata(wheel: Path) -> None:
    """What a package index shows and an installer asks for is all there."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        folder, shared = (f"gpuspec-{__version__}.{what}" for what in ("dist-info", "data"))
        metadata = BytesParser().parsebytes(archive.read(f"{folder}/METADATA"))
        scripts = archive.read(f"{folder}/entry_points.txt").decode()
    assert (metadata["Name"], metadata["Version"]) == ("gpuspec", __version__)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert f"{folder}/licenses/{metadata['License-File']}" in names
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata["Summary"] and metadata["Keywords"]
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    assert "gpuspec/py.typed" in names
    assert {name.partition("/")[0] for name in names} == {"gpuspec", folder, shared}
    assert f"{shared}/data/share/man/man1/gpuspec.1" in names
    # One program of the package's own name, which `uvx gpuspec` and `pipx run gpuspec` look for.
    assert "gpuspec = gpuspec.__main__:run" in scripts.splitlines()
    assert "kubectl-gpuspec = gpuspec.__main__:run" in scripts.splitlines()


def check_completion(program: Path, folder: Path) -> None:
    """The script for each shell is there, and each shell that is installed takes it."""
    for shell, begins in SHELLS.items():
        ask = ("env", f"_GPUSPEC_COMPLETE=source_{shell}", program)
        script = run(*ask, cwd=folder)
        assert begins in script.decode()
        if shutil.which(shell):
            (folder / shell).write_bytes(script)
            run(shell, "-n", folder / shell, cwd=folder)
