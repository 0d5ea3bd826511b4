"""Streams that are closed, full, cut short or no UTF-8: an exit code and no traceback."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Program

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")


@pytest.mark.parametrize("command", ["render train.yaml", "init training", "--version", "--help"])
@needs_full
def test_a_full_disk_is_an_output_that_cannot_be_written(shell: Program, command: str) -> None:
    done = shell(f"gpuspec {command} > /dev/full")
    assert done.code == 2
    assert done.err.endswith("error: standard output: No space left on device\n")
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", ["render train.yaml", "--version"])
def test_a_closed_stdout_is_an_output_that_cannot_be_written(shell: Program, command: str) -> None:
    done = shell(f"gpuspec {command} >&-")
    assert (done.code, done.err) == (2, "error: standard output is closed\n")


def test_a_closed_stdin_is_an_input_that_cannot_be_read(shell: Program) -> None:
    done = shell("gpuspec render - <&-")
    assert (done.code, done.out, done.err) == (2, "", "error: -: standard input is closed\n")


@pytest.mark.parametrize("where", ["2>&-", pytest.param("2>/dev/full", marks=needs_full)])
def test_talk_that_nobody_hears_changes_nothing(shell: Program, where: str) -> None:
    assert shell(f"gpuspec rendr {where}").code == 2
    done = shell(f"gpuspec render train.yaml {where}")
    assert done.code == 0
    assert "\nkind: Job\n" in done.out


@pytest.mark.parametrize("command", ["render train.yaml", "init training", "--help", "--version"])
def test_a_reader_that_has_had_enough_is_no_error(
    gpuspec: Program, folder: Path, command: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = gpuspec(*command.split(), stdout=writer)
    os.close(writer)
    assert done.code == 0
    assert "error" not in done.err
    assert "Traceback" not in done.err


def test_output_is_utf8_whatever_the_locale(shell: Program) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}
    done = shell(
        "sed 's/python, -m, train/échantillon/' train.yaml > é.yaml\n"
        "gpuspec render é.yaml; gpuspec init traîning; gpuspec explain é.yaml",
        **ascii_only,
    )
    assert "échantillon" in done.out
    assert "Traceback" not in done.err
    assert "error: no kind `tra" in done.err


def test_a_file_name_that_is_no_utf8_is_shown_escaped(shell: Program) -> None:
    done = shell("mv train.yaml $'\\xff.yaml'; gpuspec explain --format json $'\\xff.yaml'")
    assert done.code == 0
    assert "\\udcff.yaml:" in done.out


def test_a_file_name_with_a_newline_is_one_line(shell: Program) -> None:
    done = shell("gpuspec render $'a\\nb.yaml'")
    assert (done.code, done.err) == (2, "error: a\\nb.yaml: no such file or folder\n")


def test_a_file_name_with_spaces_keeps_them(shell: Program) -> None:
    done = shell("sed s/gpu:/gpus:/ train.yaml > 'my train.yaml'; gpuspec render 'my train.yaml'")
    assert done.code == 2
    assert "my train.yaml:9:3: error: unknown field `spec.gpus`\n" in done.err


def test_an_interrupt_is_one_sentence(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", READY],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == b"reading\n"
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, b"")
    assert err == b"interrupted: nothing was printed or written\n"


# The program, which tells when it is about to wait for its input.
READY = """\
import os, sys
from gpuspec.__main__ import run
class Input:
    @property
    def buffer(self):
        os.write(1, b"reading\\n")
        return sys.__stdin__.buffer
    def isatty(self):
        return False
sys.argv = ["gpuspec", "render", "-"]
sys.stdin = Input()
run()
"""
