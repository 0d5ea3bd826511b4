"""Fields that the API server names otherwise than an object has them: `misnamed.yaml`."""

import re
from functools import cache
from pathlib import Path as File
from typing import Any

import msgspec
import yaml

from tests.refusals.fields import path_of

ROWS = File(__file__).with_suffix(".yaml")


class Misnamed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One field that a server misnames."""

    says: str
    means: str
    source: str
    of: tuple[str, ...] = ()
    words: str = ""
    with_: str = msgspec.field(name="with", default="")
    without: str = ""

    @property
    def where(self) -> str:
        """When the row holds, for people."""
        said = [", ".join(self.of)] if self.of else []
        said += [f"“{self.words}”"] if self.words else []
        said += [f"with `{self.with_}`"] if self.with_ else []
        said += [f"without `{self.without}`"] if self.without else []
        return "; ".join(said)

    def read(self, field: str, words: str, value: dict[str, Any]) -> str | None:
        """What a server means by a field of an object; None where the row does not hold."""
        kind = value.get("kind")
        if self.of and not {kind, f"{value.get('apiVersion')} {kind}"} & {*self.of}:
            return None
        if self.words not in words:
            return None
        if not (found := _pattern(self.says).search(field)):
            return None
        indices = iter(found.groups())
        means = re.sub(r"\[\]", lambda _: next(indices), self.means)
        meant = field[: found.start()] + means
        around = _at(value, path_of(meant, value)[:-1])
        if (self.with_ and around.get(self.with_) is None) or around.get(self.without):
            return None
        return meant + field[found.end() :]


@cache
def rows() -> tuple[Misnamed, ...]:
    """All of them."""
    found = yaml.safe_load(ROWS.read_text(encoding="utf-8"))
    return tuple(msgspec.convert(found, tuple[Misnamed, ...]))


def meant(field: str, words: str, value: object) -> str:
    """The field of an object that a server means."""
    if isinstance(value, dict):
        for row in rows():
            if (found := row.read(field, words, value)) is not None:
                return found
    return field


@cache
def _pattern(says: str) -> re.Pattern[str]:
    words = re.escape(says.removeprefix("^")).replace(re.escape("[]"), r"(\[\d+\])")
    start = "^" if says.startswith("^") else r"(?:^|(?<=\.))"
    return re.compile(rf"{start}{words}(?=[.\[]|$)")


def _at(value: Any, path: tuple[str | int, ...]) -> dict[str, Any]:
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return {}
    return value if isinstance(value, dict) else {}
