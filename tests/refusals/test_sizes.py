"""How large what an object holds may be: bytes of UTF-8 as a server counts them, not letters."""

import json

import pytest

from gpuspec.manifests import Path, format_path, parse_path
from gpuspec.validation import validate
from tests.refusals.conftest import Judge
from tests.refusals.contest.trees import put
from tests.refusals.judge import NEWEST, Object
from tests.refusals.test_stories import BASES

ROOMS: dict[str, tuple[str, str, int]] = {
    "annotations": ("ConfigMap/settings", "metadata.annotations", 256 * 1024),
    "a ConfigMap": ("ConfigMap/settings", "data", 1024 * 1024),
    "a Secret": ("Secret/hub", "stringData", 1024 * 1024),
    "a StorageClass": ("StorageClass/fast", "parameters", 256 * 1024),
    "parameters of a driver": (
        *("DeviceClass/gpu", "spec.config[0].opaque.parameters"),
        10 * 1024,
    ),
}
"""Of which object, the map, and how many bytes it holds."""
BESIDE: dict[str, Path] = {"a ConfigMap": ("binaryData",), "a Secret": ("data",)}
"""What counts with it."""
LETTERS = ("a", "ä", "😀")


def filled(room: str, letter: str, more: int = 0) -> tuple[Object, Path]:
    """An object that holds as much as it can of a letter, and some bytes more; and where."""
    of, where, most = ROOMS[room]
    path = parse_path(where)
    value = put(BASES[of], path, {"k": ""})
    if room in BESIDE:
        value = put(value, BESIDE[room], {})
    around = len('{"k":""}') if room == "parameters of a driver" else 0
    if room in ("annotations", "a StorageClass"):
        around = len("k")
    left = most - around
    size = len(letter.encode())
    text = letter * (left // size) + "x" * (left % size + more)
    return put(value, (*path, "k"), text), path


def refused(value: Object) -> list[Path]:
    return [one.path for one in validate(value, NEWEST) if one.reason == "refused"]


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("room", ROOMS)
def test_bytes_are_counted(room: str, letter: str) -> None:
    value, path = filled(room, letter)
    assert refused(value) == []
    value, path = filled(room, letter, more=1)
    (found,) = refused(value)
    assert format_path(path).startswith(format_path(found)) or found == ("data",)


@pytest.mark.parametrize("room", ROOMS)
def test_half_a_letter_of_a_text_in_json_is_taken(room: str) -> None:
    of, where, _ = ROOMS[room]
    assert refused(put(BASES[of], parse_path(where), {"k": "\ud800"})) == []


def test_json_in_a_secret_may_be_deeper_than_python_reads() -> None:
    text = f'{{"auths": {"[" * 9000 + "]" * 9000}}}'
    value = put(BASES["Secret/registry"], ("stringData",), {".dockerconfigjson": text})
    assert refused(value) == []


@pytest.mark.binaries
def test_a_server_counts_so_too(judge: Judge) -> None:
    for more, taken in ((0, True), (1, False)):
        values = [filled(room, letter, more)[0] for room in ROOMS for letter in LETTERS]
        texts = [json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in values]
        assert [verdict.accepted for verdict in judge(texts)] == [taken] * len(values)
