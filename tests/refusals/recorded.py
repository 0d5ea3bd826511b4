"""What the tests of Kubernetes' own validate, as objects that a server is sent: made by `record` beside.

Of those tests nothing is carried here. `record` runs them where the modules of Go are, and keeps what
they call the functions that validate with (`recorder/record/record.go`).
"""

import copy
from functools import cache
from pathlib import Path as File

import msgspec

from tests.refusals.judge import HERE, NEWEST, Minor, Object, cached

RECORDER = HERE / "recorder"
_MADE = ("controller-uid", "batch.kubernetes.io/controller-uid")
"""Labels that the server gives to pods of a Job whose selector it makes."""


class Recorded(msgspec.Struct, frozen=True):
    """One object, and the test that validates it: `pkg/apis/batch/validation TestValidateJob`."""

    test: str
    object: Object


@cache
def objects_file(minor: Minor = NEWEST) -> File:
    """What was recorded by the sources as they are. Raises `binaries.Missing`."""
    sources = [*sorted(RECORDER.glob("*.go")), *sorted((RECORDER / "record").glob("*.go"))]
    return cached("kubernetes-tests", "objects.jsonl", sources, minor)


def recorded(minor: Minor = NEWEST) -> list[Recorded]:
    """Every object, once, as somebody would send it."""
    found: dict[bytes, Recorded] = {}
    for line in objects_file(minor).read_bytes().splitlines():
        one = msgspec.json.decode(line, type=Recorded)
        sent = Recorded(one.test, as_sent(one.object))
        found.setdefault(msgspec.json.encode(sent.object, order="sorted"), sent)
    return list(found.values())


def as_sent(value: Object) -> Object:
    """An object without the selector that the server makes for a Job, and refuses of anybody else.

    What tests validate is as it would be stored, with that selector in it: nothing else would ever be
    said of such a Job.
    """
    if value["kind"] != "Job" or value["spec"].get("manualSelector"):
        return value
    selector = value["spec"].get("selector") or {}
    if not {*_MADE} & (selector.get("matchLabels") or {}).keys():
        return value
    value = copy.deepcopy(value)
    made = value["spec"].pop("selector")["matchLabels"]
    labels = value["spec"]["template"].get("metadata", {}).get("labels", {})
    for name in made:
        labels.pop(name, None)
    return value
