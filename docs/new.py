"""Write the skeleton of a rule, a model server or a kind, with its test and its page.

    make new rule NAME=memory/shm-too-deep
    make new runtime NAME=quickserve
    make new kind NAME=example.com/TrainingRun

What it writes passes all tests as it is; `docs/adding.md` says what to change then.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
SKELETONS = Path(__file__).parent / "skeletons"
RULES, ROWS = ROOT / "gpuspec/lint/rules", ROOT / "gpuspec/lint/rows.py"
CODES = ROOT / "gpuspec/settings/codes.py"
SERVERS = ROOT / "gpuspec/runtimes/data"
KINDS = ROOT / "gpuspec/kinds"


class Wrong(Exception):
    """A name that cannot be taken; the text says why, and what can."""


def rule(name: str) -> list[Path]:
    """A rule, its page, its row and its test. The name is `family/rule-in-words`."""
    families = sorted(path.name for path in RULES.iterdir() if (path / "__init__.py").is_file())
    family, _, words = name.partition("/")
    if family not in families or not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", words):
        raise Wrong(f"{name}: write FAMILY/RULE-IN-WORDS; families: {', '.join(families)}")
    if any(
        page.read_text(encoding="utf-8").startswith(f"# {words}\n") for page in RULES.rglob("*.md")
    ):
        raise Wrong(f"{words} is there already")
    module = words.replace("-", "_")
    rows = ROWS.read_text(encoding="utf-8")
    code = _free_code(rows, family)
    known = {"CODE": code, "NAME": words, "MODULE": f"{family}.{module}"}
    made = [
        _write(RULES / family / f"{module}.py", "rule.py", known),
        _write(RULES / family / f"{module}.md", "rule.md", known),
        _write(ROOT / "tests/lint" / f"test_{module}.py", "test_rule.py", known),
    ]
    ROWS.write_text(_with_row(rows, code, f"{family}.{module}"), encoding="utf-8")
    return [*made, ROWS, *_generated("docs/make_rules.py", "docs/rules.md")]


def runtime(name: str) -> list[Path]:
    """A model server's file, from which all else follows."""
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise Wrong(f"{name}: write the server's name in lower-case letters: quickserve")
    known = {"NAME": name}
    made = [
        _write(SERVERS / f"{name}.yaml", "server.yaml", known),
        _write(
            ROOT / "tests/runtimes" / f"test_{name.replace('-', '_')}.py", "test_server.py", known
        ),
    ]
    generated = _generated(
        "docs/make_startup.py", f"gpuspec/startup/data/tables/runtimes/{name}.json"
    )
    generated += _generated("schemas/make_gpuspec.py", "schemas/gpuspec")
    generated += _generated("docs/make_reference.py", "docs/spec-reference.md")
    generated += _generated("docs/make_servers.py", "docs/servers.md")
    return [*made, *generated, *_generated("docs/make_signals.py", "docs/signals.md")]


def kind(name: str) -> list[Path]:
    """A kind's record in a file of its project, the group's row, and its test."""
    group, _, word = name.partition("/")
    if not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", group) or not re.fullmatch(r"[A-Z]\w+", word):
        raise Wrong(f"{name}: write GROUP/KIND: example.com/TrainingRun")
    project = re.sub(r"\W", "_", word.lower())
    table = KINDS / "table.py"
    text = table.read_text(encoding="utf-8")
    if f'"{group}": ' in text:
        raise Wrong(f"{group} has a file already: add the record to its KINDS")
    known = {"GROUP": group, "KIND": word, "PROJECT": project}
    made = [
        _write(KINDS / f"{project}.py", "kind.py", known),
        _write(ROOT / "tests/lint/bases" / f"{project}.yaml", "base.yaml", known),
        _write(ROOT / "tests/kinds" / f"test_{project}.py", "test_kind.py", known),
    ]
    table.write_text(_with_home(text, group, project), encoding="utf-8")
    return [*made, table, *_generated("docs/make_references.py", "docs/references.md")]


NEW: dict[str, Callable[[str], list[Path]]] = {"rule": rule, "runtime": runtime, "kind": kind}


def _write(path: Path, skeleton: str, known: dict[str, str]) -> Path:
    """A skeleton with its words put in. Raises `Wrong` for a file that is there."""
    if path.exists():
        raise Wrong(f"{path.relative_to(ROOT)} is there already")
    text = (SKELETONS / f"{skeleton}.txt").read_text(encoding="utf-8")
    for word, value in known.items():
        text = text.replace(f"<{word}>", value)
    path.write_text(text, encoding="utf-8")
    return path


def _generated(script: str, *results: str) -> list[Path]:
    subprocess.run([sys.executable, str(ROOT / script)], check=True, cwd=ROOT)
    return [ROOT / each for each in results]


def _free_code(rows: str, family: str) -> str:
    """The first code behind those of a family that no rule has."""
    every = {int(code) for code in re.findall(r'"GPU(\d{3})"', rows)}
    own = [int(code) for code in re.findall(rf'"GPU(\d{{3}})",\s*"{family}\.', rows)]
    every |= {
        int(code) for code in re.findall(r'"GPU(\d{3})": Former', CODES.read_text(encoding="utf-8"))
    }
    free = next(code for code in range(max(own) + 1, 1000) if code not in every)
    return f"GPU{free:03d}"


def _with_row(rows: str, code: str, module: str) -> str:
    """The table with a row where its code belongs."""
    row = f'    Row("{code}", "{module}", "pod"),\n'
    for found in re.finditer(r'^    Row\(\s*"(GPU\d{3})"', rows, re.MULTILINE):
        if found[1] > code:
            return rows[: found.start()] + row + rows[found.start() :]
    end = rows.index("\n)\n", rows.index("ROWS: ")) + 1
    return rows[:end] + row + rows[end:]


def _with_home(text: str, group: str, project: str) -> str:
    """The table of files with a group more, at its end: order of apply stays as it is."""
    end = text.index("\n}\n", text.index("HOMES = {")) + 1
    return f'{text[:end]}    "{group}": "{project}",\n{text[end:]}'


def main(words: Iterable[str]) -> int:
    """Write what is asked for, and say which files it is."""
    what, name = [*words, "", ""][:2]
    if what not in NEW or not name:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        made = NEW[what](name)
    except Wrong as wrong:
        print(f"new {what}: {wrong}", file=sys.stderr)
        return 2
    for path in made:
        print(path.relative_to(ROOT))
    print(f"next: docs/adding.md#{'a-' + {'runtime': 'model-server'}.get(what, what)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
