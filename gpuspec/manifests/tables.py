"""The shipped tables: YAML for people, and beside each the same as JSON, which is read in no time.

The JSON says which YAML it was made from, by digest. Where that is not the one beside it, because
somebody is changing the table, the YAML is read.
"""

from typing import Any

import msgspec

from gpuspec.manifests.digests import sha256
from gpuspec.manifests.reader import read


class _Twin(msgspec.Struct, frozen=True):
    of: str
    value: Any


def table(folder: str, name: str) -> Any:
    """The plain data of `<name>.yaml` in a folder."""
    with open(f"{folder}/{name}.yaml", "rb") as file:  # noqa: PTH123
        text = file.read()
    try:
        with open(f"{folder}/{name}.json", "rb") as file:  # noqa: PTH123
            twin = msgspec.json.decode(file.read(), type=_Twin)
    except OSError:
        return _parsed(text, name)
    return twin.value if twin.of == sha256(text) else _parsed(text, name)


def twin(text: bytes, name: str) -> bytes:
    """What stands in `<name>.json` beside a table of this text."""
    return msgspec.json.encode(_Twin(sha256(text), _parsed(text, name))) + b"\n"


def _parsed(text: bytes, name: str) -> Any:
    return read(text, name)[0].value
