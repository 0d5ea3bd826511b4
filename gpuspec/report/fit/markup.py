"""Elements of SVG and HTML that are well formed and escaped by construction.

What is written is XML too: a page can be read by any parser of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpuspec.escaping.formats import html

_EMPTY = ("meta", "path", "rect")
"""Elements that never hold anything. HTML takes no others that close themselves."""


class Markup(str):
    """Text that is markup already; all other text is escaped where it becomes part of it."""

    __slots__ = ()


def element(name: str, attributes: Mapping[str, object] | None = None, *inner: str) -> Markup:
    """Return an element; attributes that are None are left out. `inner` is escaped where no
    `Markup`."""
    attributes_text = "".join(
        f' {key}="{html(_shown(value))}"'
        for key, value in (attributes or {}).items()
        if value is not None
    )
    if name in _EMPTY:
        return Markup(f"<{name}{attributes_text}/>")
    return Markup(f"<{name}{attributes_text}>{joined(*inner)}</{name}>")


def joined(*inner: str, by: str = "") -> Markup:
    """Return pieces in a row, those escaped that are no markup."""
    return Markup(by.join(one if isinstance(one, Markup) else html(one) for one in inner))


def _shown(value: object) -> str:
    """Return numbers with as many digits as a picture needs."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
