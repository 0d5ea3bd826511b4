"""What `make new` writes is what the page lists, and passes the tests of what is there already."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.growing.conftest import ROOT, Checkout

PAGE = (ROOT / "docs/adding.md").read_text(encoding="utf-8")
NEW = {
    "rule": ("memory/shm-too-deep", "A rule", {"family": "memory", "rule": "shm_too_deep"}),
    "runtime": ("newserver", "A model server", {"server": "newserver"}),
    "kind": ("example.com/TrainingRun", "A kind", {"project": "trainingrun"}),
}
TESTS = {
    "rule": ("tests/lint/test_shm_too_deep.py", "tests/lint/test_pages.py", "-k", "too_deep or GPU917"),
    "runtime": ("tests/runtimes",),
    "kind": ("tests/kinds/test_trainingrun.py", "tests/lint/test_gold.py", "-k", "trainingrun or clean_manifest or counted"),
}  # fmt: skip


def listed(section: str, words: dict[str, str]) -> set[str]:
    """The files that the page lists for a part."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    paths = re.findall(r"^- `([^`]+)`", text, re.MULTILINE)
    assert paths
    return {re.sub(r"<(\w+)>", lambda found: words[found[1]], path) for path in paths}


@pytest.fixture(scope="module")
def grown(checkout: Checkout) -> Checkout:
    """The checkout with its tests, as git knows it."""
    checkout.take("tests", "Makefile", "pyproject.toml", "README.md")
    return checkout


@pytest.mark.parametrize("what", NEW)
def test_what_is_written_is_what_the_page_lists_and_passes(grown: Checkout, what: str) -> None:
    name, section, words = NEW[what]
    before = files(grown.folder)
    done = grown.python("docs/new.py", what, name)
    assert done.returncode == 0, done.stderr
    *said, following = done.stdout.splitlines()
    after = files(grown.folder)
    changed = {path for path in after if before.get(path) != after[path]}
    assert {path for path in said if not (grown.folder / path).is_dir()} <= changed | {
        path for path in said if path.startswith("docs/")
    }
    assert set(said) == listed(section, words)
    assert all(any(path == one or path.startswith(f"{one}/") for one in said) for path in changed)
    anchor = following.partition("#")[2]
    assert f"\n## {section}\n" in PAGE
    assert anchor == section.lower().replace(" ", "-")
    done = grown.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS[what])
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rule", "nothing/here"), "families: devices, "),
        (("rule", "memory/Not Words"), "write FAMILY/RULE-IN-WORDS"),
        (("rule", "memory/shm-too-small"), "is there already"),
        (("runtime", "vllm"), "is there already"),
        (("runtime", "../x"), "lower-case"),
        (("kind", "Thing"), "write GROUP/KIND"),
        (("kind", "ray.io/RayThing"), "has a file already"),
        (("thing", "x"), "make new rule"),
        ((), "make new rule"),
    ],
)
def test_a_name_that_cannot_be_taken_changes_nothing(
    grown: Checkout, words: tuple[str, ...], said: str
) -> None:
    before = files(grown.folder)
    done = grown.python("docs/new.py", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert files(grown.folder) == before


def files(folder: Path) -> dict[str, bytes]:
    """All files of a checkout."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_make_hands_over_the_part_and_its_name() -> None:
    line = ["make", "-n", "-o", ".venv/.dev", "new", "kind", "NAME=example.com/Run"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 'docs/new.py "kind" "example.com/Run"' in done.stdout
