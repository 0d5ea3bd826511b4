"""Whatever a file holds, linting it ends, with an answer and never with a traceback.

`GPUSPEC_MUTANTS=10000 pytest tests/lint/test_mutations.py -n auto` looks at as many.
"""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import gpuspec
from gpuspec.manifests import InputError
from gpuspec.report.lint import FORMATS, lint_report
from tests.lint.mutants import mutant
from tests.lint.pages import HERE, named_profile

COUNT = int(os.environ.get("GPUSPEC_MUTANTS", "300"))
CHUNK = 50
SECONDS = 60
"""Far more than any takes: what does not end in it hangs."""
PROFILES = (None, *sorted(path.stem for path in (HERE / "profiles").glob("*.yaml")))


@contextmanager
def _ends(number: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(f"mutant {number} takes more than {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("first", range(0, COUNT, CHUNK))
def test_a_broken_file_is_answered(first: int, tmp_path: Path) -> None:
    file = tmp_path / "mutant.yaml"
    for number in range(first, min(first + CHUNK, COUNT)):
        pick = random.Random(-number)
        file.write_bytes(mutant(number))
        name = pick.choice(PROFILES)
        profile = named_profile(name) if name else None
        with _ends(number):
            try:
                result = gpuspec.lint(str(file), profile=profile)
                if result.findings:
                    assert lint_report(result, pick.choice(list(FORMATS)), fail_on="error")
                if any(one.fix for one in result.findings) and pick.random() < 0.3:
                    gpuspec.mend(str(file), profile=profile, unsafe=True, write=False)
            except InputError as refused:
                # What is wrong with the file is a finding, not an error of the run.
                pytest.fail(f"mutant {number}: {refused}")
            except Exception as error:
                raise AssertionError(f"mutant {number} on {name}") from error


def test_the_command_answers_broken_files_too(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"{number}.yaml").write_bytes(mutant(number))
    for path in (".", "7.yaml", "11.yaml"):
        done = subprocess.run(
            [sys.executable, "-m", "gpuspec", "lint", path],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert 0 <= done.returncode <= 3, done.stderr
        assert "Traceback" not in done.stdout + done.stderr


def test_a_mutant_is_told_by_its_number() -> None:
    assert mutant(5) == mutant(5)
    assert len({mutant(number) for number in range(50)}) > 45
