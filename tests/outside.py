"""Data that lies outside the checkout, for tests that hold more against us than it can carry.

Such a test is marked `outside` with the part of the folder that it reads. `make test` leaves it out, and
`make outside-test OUTSIDE=FOLDER` runs it.
"""

import os
import re
from functools import cache
from pathlib import Path

FOLDER = Path(os.environ.get("GPUSPEC_OUTSIDE") or os.devnull)
"""With `crds/`, CustomResourceDefinitions as `schemas/make_crds.py` reads them, and `data/openb/`, the
public trace of docs/fragmentation.md; `data/corpus/`, any manifests of other people's."""
CRDS = FOLDER / "crds"
OPENB = FOLDER / "data" / "openb"
CORPUS = FOLDER / "data" / "corpus"


@cache
def defined() -> frozenset[tuple[str, str]]:
    """Group and kind of each definition in the folder, which may lack some that are bundled."""
    found = set()
    for file in CRDS.glob("*/*.yaml"):
        text = file.read_text(encoding="utf-8")
        group = re.search(r"^  group: [\"']?([\w.-]+)", text, re.MULTILINE)
        kind = re.search(r"^    kind: [\"']?(\w+)", text, re.MULTILINE)
        if group and kind:
            found.add((group[1], kind[1]))
    return frozenset(found)


def is_defined(value: dict[str, object]) -> bool:
    """Whether the folder has the definition of an object's kind."""
    group = str(value.get("apiVersion")).rpartition("/")[0]
    return (group, str(value.get("kind"))) in defined()
