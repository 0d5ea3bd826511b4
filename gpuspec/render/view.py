"""What templates see of a plan: its parts' names, truth and length, never a value."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from msgspec import Struct

from gpuspec.plan import Leaf


class View:
    """A part of the plan, as a template holds it. Written out, it is a token."""

    __slots__ = ("_name", "_node", "_token")

    def __init__(self, node: Any, token: Callable[[Any], str], name: str) -> None:
        """A view of `node`, which templates reach by `name`; `token` gives what they write."""
        self._node = node
        self._token = token
        self._name = name

    def __getattr__(self, name: str) -> "View":
        if name.startswith("_") or name not in _names(self._node):
            raise AttributeError(missing(self, name))
        node = self._node
        part = node[name] if isinstance(node, Mapping) else getattr(node, name)
        return View(part, self._token, f"{self._name}.{name}")

    def __iter__(self) -> Iterator["View"]:
        node = self._node
        if node is not None and not isinstance(node, tuple | list):
            raise TypeError(f"`{self._name}` is no list of parts")
        return (
            View(item, self._token, f"{self._name}[{index}]")
            for index, item in enumerate(node or ())
        )

    def __len__(self) -> int:
        value = self._value()
        return len(value) if isinstance(value, str | list | tuple | Mapping) else 0

    def __bool__(self) -> bool:
        value = self._value()
        # Zero is something to write; False, None and what is empty are not.
        return bool(value) or (value == 0 and value is not False)

    def __eq__(self, other: object) -> bool:
        return bool(self._value() == (other._value() if isinstance(other, View) else other))

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self._token(self._node)

    def _value(self) -> Any:
        return self._node.value if isinstance(self._node, Leaf) else self._node


def missing(view: View, name: str) -> str:
    """What to say when a template asks for a part that is not there."""
    there = ", ".join(_names(view._node))
    if view._node is None:
        return f"there is no `{view._name}` for this workload, so no `{name}` in it"
    if not there:
        return f"`{view._name}` is one value and has no `{name}`"
    return f"`{view._name}` has no `{name}`; it has: {there}"


def _names(node: Any) -> Collection[str]:
    """Names of a part's own parts."""
    if isinstance(node, Mapping):
        return node.keys()
    if isinstance(node, Struct) and not isinstance(node, Leaf):
        return node.__struct_fields__
    return ()
