"""Write the published JSON Schemas of the spec kinds: `python schemas/make_gpuspec.py`."""

import json
from pathlib import Path

import gpuspec
from gpuspec.spec.schema import KINDS, file_name

FOLDER = Path(__file__).parent / "gpuspec"


def texts() -> dict[str, str]:
    """File name to text of every schema."""
    return {
        file_name(kind): json.dumps(gpuspec.schema(kind), indent=2, ensure_ascii=False) + "\n"
        for kind in sorted(KINDS)
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
