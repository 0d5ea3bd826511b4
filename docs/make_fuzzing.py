"""Write the results of fuzzing: `python docs/make_fuzzing.py`.

`fuzzing.md` is made from what `make fuzz` wrote. If that run met a fault, or ran other commands than there are now, the
script says so and writes nothing.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "fuzzing.md"
RESULTS = ROOT / "build" / "fuzz.json"
CODES = ("0", "1", "2", "3")
LEAST = 20_000
Results = dict[str, Any]

HEAD = """# Fuzzing

<!-- Made by docs/make_fuzzing.py from what `make fuzz` found. Do not edit. -->

This page shows how gpuspec handles hostile and malformed input. Manifests, profiles, dumps and file names can come from
anyone. `tests/fuzz` runs every command, with every option and format, on such inputs, and checks these properties:

- The exit code is 0, 1, 2 or 3, there is no traceback, and no try takes more than {seconds} s of CPU time or
  {memory} GiB of memory.
- Text, Markdown, HTML and annotations contain no raw control character, no character that changes the direction of text,
  and no line that CI reads as a command. JSON, SARIF, JUnit, SVG and YAML are valid. No cell of a CSV is a formula.
- Input files stay unchanged unless a fix was requested, only the named files are written, and no program except git is
  started.

Each try starts with texts of this repository: examples, profiles, recorded nodes, and the YAML of the rules' pages. They
are mutated as trees, at any place: another type, a field from elsewhere, a key that is repeated or renamed, an anchor
inside itself, a tag, a document in a list, numbers that are too long, too large or in other digits, and words with
escape sequences, line ends and commands of CI. Some are then mutated as text, get a malicious file name, or are replaced
by a folder, a pipe or a device.

    make fuzz                          # seed 1, 20,000 tries
    make fuzz SEED=7 TRIES=100000

A try is identified by the seed, its target and its number. `.venv/bin/python -m tests.fuzz --seed 7 --only lint:123`
repeats that try, and prints the smallest input that still has the fault. `.ci/run` does some thousands of tries, always
the same ones.
"""


def results() -> Results:
    """What was found. Exits where there is nothing of what is tried now."""
    if not RESULTS.exists():
        sys.exit(f"{RESULTS} is missing; to make it: make fuzz")
    return json.loads(RESULTS.read_text())


def check(found: Results) -> None:
    """Exits where a fault was met, a target is missing, or too little was tried."""
    if found["faults"]:
        sys.exit(f"faults were met: {[*found['faults']]}")
    if [*found["targets"]] != [one.name for one in TARGETS]:
        sys.exit("it is of other targets than there are: make fuzz")
    if _tries(found) < LEAST:
        sys.exit(f"{_tries(found)} tries are fewer than {LEAST}")


def text(found: Results) -> str:
    """The whole page."""
    from tests.fuzz.world import MEMORY, SECONDS

    lines = [HEAD.format(seconds=SECONDS, memory=MEMORY >> 30)]
    lines += [
        "## Results",
        "",
        f"Seed {found['seed']}, {_tries(found):,} tries, no fault.",
        "",
    ]
    lines += [*_table(found["targets"])]
    return "\n".join(lines) + "\n"


def _tries(found: Results) -> int:
    return sum(sum(codes.values()) for codes in found["targets"].values())


def _table(targets: dict[str, dict[str, int]]) -> Iterator[str]:
    yield "| command | tries | " + " | ".join(f"exit {code}" for code in CODES) + " |"
    yield "|" + "---|" * (2 + len(CODES))
    for name, codes in targets.items():
        counts = " | ".join(str(codes.get(code, 0)) for code in CODES)
        yield f"| `{name}` | {sum(codes.values())} | {counts} |"


if __name__ == "__main__":
    made = results()
    check(made)
    PAGE.write_text(text(made), encoding="utf-8")
