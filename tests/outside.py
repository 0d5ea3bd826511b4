"""Data that lies outside the checkout, for tests that hold more against us than it can carry.

Such a test is marked `outside` with the part of the folder that it reads. `make test` leaves it out, and
`make outside-test OUTSIDE=FOLDER` runs it.
"""

import os
from pathlib import Path

FOLDER = Path(os.environ.get("GPUSPEC_OUTSIDE") or os.devnull)
"""With `crds/`, CustomResourceDefinitions as `schemas/make_crds.py` reads them, and `data/openb/`, the
public trace of docs/fragmentation.md; `data/corpus/`, any manifests of other people's."""
CRDS = FOLDER / "crds"
OPENB = FOLDER / "data" / "openb"
CORPUS = FOLDER / "data" / "corpus"
