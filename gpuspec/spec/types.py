"""Field types of all models: quantities and durations; and the descriptions of fields.

`doc()` describes a field: its text and examples become part of the published JSON Schema, which
editors show, so every field needs it. Limits and patterns belong to the field's type (`forms.py`),
where both the schema and the parser find them.
"""

import typing
from typing import TYPE_CHECKING, Any, NamedTuple, dataclass_transform

import msgspec

from gpuspec.manifests import Quantity, format_duration, parse_duration
from gpuspec.spec.forms import DURATION, QUANTITY

QUANTITY_PATTERN = QUANTITY.pattern
DURATION_PATTERN = DURATION.pattern
_MOST = 2**63 - 1


class Doc(NamedTuple):
    """The description of a field for the published schema."""

    description: str
    examples: tuple[object, ...]
    default: object


class _TypeDescription(NamedTuple):
    kind: Any
    doc: Doc


if TYPE_CHECKING:
    from typing import Annotated as Annotated  # noqa: PLC0414 — mypy's way to export it
else:

    class Annotated:
        """`typing.Annotated` for fields whose note is a `doc`, which only the schema needs.

        Python's own builds an object of many parts for each of three hundred fields, a twentieth
        of the time that one spec takes; type checkers see Python's own.
        """

        def __class_getitem__(cls, parts: tuple[Any, ...]) -> Any:
            kind, *notes = parts
            limits = [note for note in notes if not isinstance(note, Doc)]
            if limits:
                kind = typing.Annotated[(kind, *limits)]
            docs = [note for note in notes if isinstance(note, Doc)]
            return _TypeDescription(kind, docs[0]) if docs else kind


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class _ModelMeta(msgspec.StructMeta):
    """Sets the options of every model, which msgspec does not inherit, and declares this to type
    checkers."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any
    ) -> Any:
        options = {"kw_only": True, "frozen": True, "forbid_unknown_fields": True, **options}
        notes = namespace.get("__annotations__", {})
        docs = {
            field: note.doc for field, note in notes.items() if isinstance(note, _TypeDescription)
        }
        namespace["__annotations__"] = {
            field: note.kind if isinstance(note, _TypeDescription) else note
            for field, note in notes.items()
        }
        for base in bases:
            docs = {**getattr(base, "__docs__", {}), **docs}
        namespace["__docs__"] = docs
        return super().__new__(mcls, name, bases, namespace, **options)


class Model(msgspec.Struct, metaclass=_ModelMeta, rename="camel", omit_defaults=True):
    """Base of all models: immutable, camelCase in YAML, unknown keys rejected."""


class Duration:
    """A span of time in whole seconds. Written `90s`, `30m`, `12h`, `1h30m`, `2d`."""

    __slots__ = ("seconds",)

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Duration) and other.seconds == self.seconds

    def __hash__(self) -> int:
        return hash(self.seconds)

    def __repr__(self) -> str:
        return f"Duration({self})"

    def __str__(self) -> str:
        return format_duration(self.seconds)


def doc(description: str, *examples: object, default: object = None) -> Doc:
    """Return the description of a field for the published schema, with examples.

    `default` is the default of a field whose type does not exist in JSON (a quantity, a duration).
    """
    return Doc(description, examples, default)


def docs_of(model: type[Model]) -> dict[str, Doc]:
    """Return the descriptions of a model's fields, by their Python names."""
    docs: dict[str, Doc] = model.__docs__  # type: ignore[attr-defined]
    return docs


def quantity(text: str) -> Any:
    """Return a field's default quantity; pass the same text to `doc` as `default`."""
    return msgspec.field(default_factory=lambda: Quantity.parse(text))


def duration(text: str) -> Any:
    """Return a field's default duration; pass the same text to `doc` as `default`."""
    return msgspec.field(default_factory=lambda: Duration(parse_duration(text)))


def decode(kind: type, value: object) -> Any:
    """Read our own field types from YAML values, as msgspec's hook.

    Raises `ValueError` with a sentence that says what to write instead.
    """
    if kind is Quantity:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError("expected a quantity such as 6Gi, 500m or 4")
        quantity = Quantity.parse(value)
        if quantity < 0 or (isinstance(value, str) and value.startswith("-")):
            raise ValueError("a quantity here cannot be negative")
        return quantity
    if kind is Duration:
        if not isinstance(value, str):
            raise ValueError("expected a duration such as 90s, 30m or 12h")
        return Duration(parse_duration(value))
    raise NotImplementedError(kind)


def schema_of(kind: type) -> dict[str, Any]:
    """Return the JSON Schema of our own field types, as msgspec's hook."""
    if kind is Quantity:
        return {
            "anyOf": [
                {"type": "string", "pattern": QUANTITY_PATTERN},
                {"type": "number", "minimum": 0, "maximum": _MOST},
            ]
        }
    if kind is Duration:
        return {"type": "string", "pattern": DURATION_PATTERN}
    raise NotImplementedError(kind)
