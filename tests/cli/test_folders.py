"""Folders that are read and written: what they are called, how deep they are, what was edited."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Program

FLEET = "-c clusters/eu.yaml"


@pytest.mark.parametrize(
    "place",
    [
        "/",
        "//",
        "/tmp/..",
        "root",
        '"$NOTHING/"',
        "~",
        "~/",
        '"$HOME"',
        "~/out/..",
        "home",
        "home/.",
        "me/new/..",
    ],
)
@pytest.mark.parametrize("command", ["render train.yaml", "cluster render clusters/eu.yaml"])
def test_the_root_and_a_home_are_no_place_to_write(
    shell: Program, folder: Path, place: str, command: str
) -> None:
    (folder / "me/out").mkdir(parents=True)
    (folder / "home").symlink_to("me")
    (folder / "root").symlink_to("/")
    (folder / "clusters/eu.yaml").write_text(
        f"{(folder / 'clusters/eu.yaml').read_text()}  namespaces:\n    - {{name: ml}}\n"
    )
    done = shell(f"gpuspec {command} -o {place}", HOME=str(folder / "me"))
    assert done.code == 2
    assert "is the root of the file system\n" in done.err or "is a home folder\n" in done.err
    assert [path.name for path in (folder / "me").iterdir()] == ["out"]
    assert shell(f"gpuspec {command} -o home/out", HOME=str(folder / "me")).code == 0


def test_the_home_that_the_system_knows_is_none_either(shell: Program) -> None:
    done = shell('gpuspec render train.yaml -o "$(eval echo ~$(id -un))//"', HOME="/none")
    assert (done.code, "is a home folder\n" in done.err) == (2, True)


def test_an_edit_is_told_and_survives(shell: Program, folder: Path) -> None:
    assert shell("gpuspec render train.yaml -o out").code == 0
    made = folder / "out/ml.job.train-first.yaml"
    made.write_text(f"{made.read_text()}# by hand\n")
    edited = made.read_text()
    done = shell("gpuspec render train.yaml -o out")
    assert (done.code, done.out, made.read_text()) == (2, "", edited)
    assert done.err.startswith(
        "error: out/ml.job.train-first.yaml was edited by hand since gpuspec wrote it\n"
        "  delete it to render it again"
    )
    assert shell("gpuspec render train.yaml -o out --check").code == 1
    made.unlink()
    assert shell("gpuspec render train.yaml -o out").code == 0
    assert shell("gpuspec render train.yaml -o out --check").code == 0


def test_names_that_are_no_utf8_are_written_and_known_again(shell: Program, folder: Path) -> None:
    setup = r"mv train.yaml $'sp\xff.yaml'; mv clusters $'cl\xff'"
    render = r"gpuspec render $'sp\xff.yaml' -c $'cl\xff/eu.yaml' -o $'out\xff'"
    assert shell(f"{setup}; {render}").code == 0
    again = shell(render)
    assert (again.code, again.err) == (0, "out\\udcff/: 1 unchanged\n")
    assert shell(f"{render} --check").code == 0
    out = Path(os.fsdecode(os.fsencode(folder) + b"/out\xff"))
    (run,) = json.loads((out / ".gpuspec-record").read_bytes())["runs"]
    assert run["inputs"] == ["../sp\udcff.yaml", "eu"]
    platform = r"gpuspec cluster render $'cl\xff/eu.yaml' -o $'pl\xff'"
    assert (
        shell(f"printf '  namespaces: [{{name: ml}}]\\n' >> $'cl\\xff/eu.yaml'; {platform}").code
        == 0
    )
    assert shell(platform).err == "pl\\udcff/: 1 unchanged\n"


def test_folders_too_deep_are_an_error(shell: Program, folder: Path) -> None:
    here = os.open(folder, os.O_RDONLY)
    for number in range(1000):
        os.mkdir("d", dir_fd=here)
        if number in (100, 999):
            file = os.open("a.yaml", os.O_CREAT | os.O_WRONLY, dir_fd=here)
            os.write(file, b"a: 1\n")
            os.close(file)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    for command in ("lint d", "render d", f"fit d {FLEET}", "diff d train.yaml", "table d"):
        done = shell(f"gpuspec {command}")
        assert (done.code, done.out) == (2, ""), command
        assert "d: folders are nested more than 200 deep\n" in done.err, command
    assert shell(f"gpuspec lint --allow-empty {'d/' * 999}a.yaml").code == 0
    (folder / "/".join(["d"] * 150)).rename(folder / "rest")
    assert shell("gpuspec lint --allow-empty d").code == 0
    # Python itself cannot remove folders as deep as these.
    assert shell("rm -rf d rest").code == 0


@pytest.mark.parametrize("command", ["lint .", "render ../train.yaml -o out", "lint - < /dev/null"])
def test_a_folder_that_was_removed_is_no_place_to_run_in(shell: Program, command: str) -> None:
    done = shell(f"mkdir gone; cd gone; rmdir ../gone; gpuspec {command}")
    assert (done.code, done.out) == (2, "")
    assert "error: the current folder no longer exists\n" in done.err


def test_an_output_folder_may_be_as_deep_as_the_system_lets_it(shell: Program) -> None:
    deep = "d/" * 1500
    assert shell(f"gpuspec render train.yaml -o {deep}").code == 0
    assert shell(f"gpuspec render train.yaml -o {deep} --check").code == 0
    assert shell("rm -rf d").code == 0
    done = shell(f"gpuspec render train.yaml -o {'d/' * 2500}")
    assert done.code == 2
    assert done.err.endswith("/d cannot be written: File name too long\n")
