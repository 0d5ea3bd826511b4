"""What is made of a source beforehand, so that nobody waits for it: a table read, a template laid out.

It lies in `data/`, as JSON, written by `docs/make_startup.py`. Each file says by digest what it was
made from, and is passed over where that has changed since: nothing can be stale, and nothing is
written at run time.
"""

import os
from typing import Any

import msgspec

DATA = os.path.join(os.path.dirname(__file__), "data")


class _PrebuiltTable(msgspec.Struct, frozen=True):
    of: str
    value: Any


def made_of(name: str, digest: str) -> Any | None:
    """Return what was made of the source with this digest; None where there is none."""
    try:
        with open(file_of(name), "rb") as file:
            made = msgspec.json.decode(file.read(), type=_PrebuiltTable)
    except (OSError, msgspec.DecodeError):
        return None
    return made.value if made.of == digest else None


def file_of(name: str) -> str:
    """Return the file of what has this name: `tables/hardware/nvidia`, `forms/job.yaml.j2`."""
    return os.path.join(DATA, f"{name}.json")


def content(digest: str, value: object) -> bytes:
    """Return what stands in such a file."""
    return msgspec.json.encode(_PrebuiltTable(digest, value)) + b"\n"
