"""Write what came of fuzzing: `python docs/make_fuzzing.py`.

`fuzzing.md` is made from what `make fuzz` wrote. Where that met a fault, or is of other commands
than there are now, it says so and writes nothing.
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

Whoever writes a manifest, a profile, a dump or a file's name is not always a friend, and seldom careful.
`tests/fuzz` gives every command, with every option and format, inputs that nobody means, and looks at
what must hold of any:

- the exit code is one of 0 to 3, there is no traceback, and no try takes more than {seconds} s of the
  processor's time or {memory} GiB of memory;
- text, Markdown, HTML and annotations hold no raw control character, nothing that turns the direction of
  text around, and no line that CI takes for a command; JSON, SARIF, JUnit, SVG and YAML can be read; no cell
  of a CSV is a formula;
- files that were given are as they were unless a fix was asked for, nothing is written but what was named,
  and no program is started but git.

A try begins with texts of this repository: examples, profiles, recorded nodes, the YAML of the rules' pages.
They are changed by structure, anywhere in their trees: another type, a field of elsewhere, a key twice or
with another name, an anchor in itself, a tag, a document in a list; numbers too long, too large or in other
digits; words with escape sequences, line ends and commands of CI. Then some are changed as text, get names
that no file should have, or make room for a folder, a pipe or a device.

    make fuzz                          # seed 1, 20,000 tries
    make fuzz SEED=7 TRIES=100000

A try is told by the seed, its target and its number. `.venv/bin/python -m tests.fuzz --seed 7 --only
lint:123` carries out that one again, and prints the smallest input that still shows its fault.
`.ci/run` tries some thousands, always the same ones.
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
        "## What came out",
        "",
        f"Seed {found['seed']}, {_tries(found):,} tries, no fault.",
        "",
    ]
    lines += [*_table(found["targets"])]
    return "\n".join(lines) + "\n"


def _tries(found: Results) -> int:
    return sum(sum(codes.values()) for codes in found["targets"].values())


def _table(targets: dict[str, dict[str, int]]) -> Iterator[str]:
    yield "| what is tried | tries | " + " | ".join(f"exit {code}" for code in CODES) + " |"
    yield "|" + "---|" * (2 + len(CODES))
    for name, codes in targets.items():
        counts = " | ".join(str(codes.get(code, 0)) for code in CODES)
        yield f"| `{name}` | {sum(codes.values())} | {counts} |"


if __name__ == "__main__":
    made = results()
    check(made)
    PAGE.write_text(text(made), encoding="utf-8")
