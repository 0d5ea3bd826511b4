"""What the documentation shows is what happens: its commands run, and its output is real.

A fenced block is read by its language and by the comment above it:

    ```console            each line after `$ ` runs; the lines below it occur in its output, in order
    ```sh                 the whole block runs
    <!-- not run: … -->   above a block: it is not run, and why
    <!-- file: name -->   above a block: it is written there, for the commands below
    <!-- shows: name -->  above a block: its lines occur in that file, in order
    <!-- means: name -->  above a block: as YAML it is what a command above wrote there

A line `...` stands for any lines. The commands of a page run in one folder that has the examples. A picture of the page
is what one of them drew under its name.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>not run|file|shows|means): (?P<said>[^\n]*?) -->\n)?"
    r"^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PICTURE = re.compile(r"!\[[^\]]+\]\(([\w./-]+)\)")
RUN = ("console", "sh")


@dataclass(frozen=True)
class Command:
    text: str
    shown: list[str] = field(default_factory=list)


def commands(language: str, text: str) -> list[Command]:
    """The commands of a block, with the output that it shows of each."""
    if language == "sh":
        return [Command(text)]
    found: list[Command] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:]))
        else:
            assert found, f"output before the first command: {line}"
            found[-1].shown.append(line)
    return found


def missing(shown: Iterable[str], real: str) -> str | None:
    """The first line that is shown and does not occur in the text, after those before it."""
    lines = iter(line.rstrip() for line in real.splitlines())
    for line in shown:
        if line.strip() in ("", "..."):
            continue
        if not any(line.rstrip() == have for have in lines):
            return line
    return None


def run(command: str, folder: Path) -> str:
    """The command's output, both streams; it has to succeed."""
    tools = Path(sys.executable).parent
    environment = {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"$ {command}\nexit {done.returncode}\n{done.stdout}"
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path, tmp_path: Path) -> None:
    for folder in ("examples", "templates"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for block in BLOCK.finditer(page.read_text()):
        mark, said, text = block["mark"], block["said"], block["text"]
        if mark == "not run":
            assert said.strip(), "say why it is not run"
        elif mark == "file":
            path = tmp_path / said
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif mark == "shows":
            assert missing(text.splitlines(), (ROOT / said).read_text()) is None
        elif mark == "means":
            assert yaml.safe_load(text) == yaml.safe_load((tmp_path / said).read_text())
        elif block["language"] in RUN:
            for command in commands(block["language"], text):
                output = run(command.text, tmp_path)
                line = missing(command.shown, output)
                assert line is None, f"$ {command.text}\ndoes not print: {line}\n\n{output}"
    for picture in PICTURE.findall(page.read_text()):
        shown = page.parent / picture
        assert shown.read_text() == (tmp_path / shown.name).read_text()


def test_output_that_is_not_real_is_found() -> None:
    assert missing(["a", "...", "c"], "a\nb\nc\n") is None
    assert missing(["c", "a"], "a\nb\nc\n") == "a"
    assert missing(["  a"], "a\n") == "  a"


@pytest.mark.parametrize("target", ["demo", "test"])
def test_readme_begins_with_targets_that_exist(target: str) -> None:
    first = next(b for b in BLOCK.finditer((ROOT / "README.md").read_text()))
    assert [c.text.split("#")[0].strip() for c in commands("console", first["text"])] == [
        "make demo",
        "make test",
    ]
    subprocess.run(["make", "-n", target], cwd=ROOT, check=True, capture_output=True)


LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = FENCE.sub("", page.read_text())
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(FENCE.sub("", page.read_text())):
        if target.startswith(("https://", "http://")):
            continue
        other = (page.parent / target).resolve() if target else page
        assert other.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(other), f"{page.name}: {target}#{anchor}"
