"""Tables that were parsed, and templates that were compiled, in advance.

They are JSON files in `data/`, written by `docs/make_startup.py`. Each file contains the digest of
its source, and is ignored if the source has changed, so that none can be stale. Nothing is written
at run time.
"""

import os
from typing import Any

import msgspec

DATA = os.path.join(os.path.dirname(__file__), "data")


class _PrebuiltTable(msgspec.Struct, frozen=True):
    of: str
    value: Any


def made_of(name: str, digest: str) -> Any | None:
    """Return the value built from the source with this digest; None if there is none."""
    try:
        with open(file_of(name), "rb") as file:
            made = msgspec.json.decode(file.read(), type=_PrebuiltTable)
    except (OSError, msgspec.DecodeError):
        return None
    return made.value if made.of == digest else None


def file_of(name: str) -> str:
    """Return the file for a name: `tables/hardware/nvidia`, `forms/job.yaml.j2`."""
    return os.path.join(DATA, f"{name}.json")


def content(digest: str, value: object) -> bytes:
    """Return the content of such a file."""
    return msgspec.json.encode(_PrebuiltTable(digest, value)) + b"\n"
