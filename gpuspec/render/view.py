"""The view of a plan in templates: names, truth and length of its parts, never a value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from gpuspec.plan import Decision

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.render.encode import Encoder

ENDING = ".j2"
"""The suffix of template names."""

What = Literal["has", "items", "length", "true"]

FORMER = {"carrier_annotations": "workload_annotations"}
"""Former names of a plan's parts, with the current ones."""


class View:
    """A part of the plan in a template. Its text is a token."""

    __slots__ = ("_encoder", "_node", "_path")

    def __init__(self, node: Any, encoder: Encoder, path: Path = ()) -> None:
        """View `node`, which is at `path` in the plan; `encoder` records what is read."""
        self._node = node
        self._encoder = encoder
        self._path = path

    def __getattr__(self, name: str) -> View:
        if name.startswith("_") or not self._ask("has", name):
            raise AttributeError(missing(self, name))
        return View(part_of(self._node, name), self._encoder, (*self._path, name))

    def __iter__(self) -> Iterator[View]:
        count = self._ask("items")
        return (
            View(self._node[index], self._encoder, (*self._path, index))
            for index in range(count or 0)
        )

    def __len__(self) -> int:
        return self._ask("length") or 0

    def __bool__(self) -> bool:
        return bool(self._ask("true"))

    def __eq__(self, other: object) -> bool:
        self._encoder.compared = True
        return bool(
            _value(self._node) == (_value(other._node) if isinstance(other, View) else other)
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self._encoder.token(self._node, self._path)

    def _ask(self, question: What, name: str = "") -> bool | int | None:
        try:
            reply = answer(self._node, question, name)
        except TypeError:
            raise TypeError(f"`{_name(self)}` is not a list") from None
        self._encoder.asked[self._path, question, name] = reply
        return reply


def answer(node: Any, question: str, name: str = "") -> bool | int | None:
    """Return the answer to a template's question about a part. Raises `TypeError` for the items of
    a part that is not a list."""
    match question:
        case "has":
            return name in _names(node)
        case "items":
            if node is not None and not isinstance(node, tuple | list):
                raise TypeError
            return None if node is None else len(node)
        case "length":
            value = _value(node)
            return len(value) if isinstance(value, str | list | tuple | Mapping) else 0
        case _:
            value = _value(node)
            # Zero is something to write; False, None and what is empty are not.
            return bool(value) or (value == 0 and value is not False)


def part_of(node: Any, step: str | int) -> Any:
    """Return a child of a part. Raises `LookupError`, `AttributeError` or `TypeError` if there is
    none."""
    if isinstance(node, Struct):
        return getattr(node, str(step))
    return node[step]


def missing(view: View, name: str) -> str:
    """Return the message for a missing part."""
    if (now := FORMER.get(name)) and now in _names(view._node):
        return f"`{_name(view)}.{name}` is now `{_name(view)}.{now}`"
    existing_names = ", ".join(_names(view._node))
    if view._node is None:
        return f"there is no `{_name(view)}` for this workload, so no `{name}` in it"
    if not existing_names:
        return f"`{_name(view)}` is one value and has no `{name}`"
    return f"`{_name(view)}` has no `{name}`; it has: {existing_names}"


def _name(view: View) -> str:
    """Return the expression by which templates refer to a part."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in view._path)
    return "".join(("plan", *steps))


def _value(node: Any) -> Any:
    return node.value if isinstance(node, Decision) else node


def _names(node: Any) -> Collection[str]:
    """Return the names of a part's children."""
    if isinstance(node, Mapping):
        return node.keys()
    if isinstance(node, Struct) and not isinstance(node, Decision):
        return node.__struct_fields__
    return ()
