"""Refusals and alarms without what is of one object, so that those of a sort can be counted."""

import re

from gpuspec.manifests import format_path
from tests.refusals.contest.mutants import Mutant
from tests.refusals.contest.scoring import Ours
from tests.refusals.judge import Said

POD = "<pod>"
"""Stands for where a pod is in an object: the same is wrong with it in every kind."""
_POD = re.compile(r"^(?:spec\.jobTemplate\.spec\.template|spec\.template|template)(?=\.)")


def pattern(said: Said, mutant: Mutant) -> tuple[str, str]:
    """The message of a refusal and its field."""
    field = _field(said.field or format_path(mutant.path), mutant)
    return f"{said.type.removeprefix('FieldValue')}: {_words(said.detail or said.message)}", field


def alarm(ours: Ours, mutant: Mutant) -> tuple[str, str]:
    """The message of an error of ours and its path."""
    return f"{ours.rule}: {_words(ours.message)}", _field(format_path(ours.path), mutant)


def _field(field: str, mutant: Mutant) -> str:
    field = f"{POD}.{field}" if mutant.base.kind[1] == "Pod" else _POD.sub(POD, field)
    field = re.sub(r"\[[^\]]+\]", "[…]", re.sub(r"\[\d+\]", "[]", field))
    # One rule, said of whichever of the types comes last.
    return re.sub(r"(?<=\.volumes\[\]\.)\w+$", "*", field)


def _words(message: str) -> str:
    message = re.sub(r'"(?:[^"\\]|\\.)*"|`[^`]*`', "…", " ".join(message.split()))
    return re.sub(r"-?\b\d+(\.\d+)?\b", "N", message)[:160]
