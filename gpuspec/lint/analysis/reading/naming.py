"""Valid forms of names, and names that are derived from an object's own.

Limits for the names of one kind are in the table of kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds.batch import LABEL
from gpuspec.manifests import Path, dns_1035_label, dns_label, dns_subdomain
from gpuspec.numbers import read_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.objects.objects import Object

    Form = Callable[[str], str | None]


def _letter_first(name: str) -> str | None:
    """Return the fault in the first or last characters of a name of any length."""
    return dns_1035_label(name if len(name) <= LABEL else name[: LABEL - 1] + name[-1])


_FORMS = {
    "label": dns_label,
    "letter first": dns_1035_label,
    "letter first, of any length": _letter_first,
    "subdomain": dns_subdomain,
}


class InvalidName(msgspec.Struct, frozen=True):
    """An invalid name that is derived from an object's."""

    what: str
    """The named thing, as the subject of a sentence."""
    name: str
    wrong: str
    """The fault, as the end of a sentence."""
    surely: bool = True
    """False if it depends on a value that is not known yet."""
    part: Path = ()
    """The path of the part that makes it long, if it is not the object's name."""


def form_of(obj: Object, kubernetes: str) -> Form | None:
    """Return the form of an object's own name; None if almost any name is valid."""
    if obj.is_a("", "Service"):
        # Since 1.37 it may begin with a digit.
        return dns_label if read_version(kubernetes) >= (1, 37) else dns_1035_label
    return _FORMS.get(obj.traits.naming.form)


def made_from(obj: Object) -> Iterator[InvalidName]:
    """Yield names that are derived from the object's name and are too long."""
    name, naming = obj.name, obj.traits.naming
    if naming.longest is not None and len(name) > naming.longest:
        why = naming.why.format(longest=naming.longest)
        yield InvalidName("the name", name, f"is {len(name)} characters long; {why}")
    for derived_name in naming.made(obj.value, name) if naming.made is not None else ():
        if len(derived_name.name) > LABEL:
            wrong = (
                f"would be {len(derived_name.name)} characters long; at most {LABEL} are allowed"
            )
            yield InvalidName(
                derived_name.what, derived_name.name, wrong, derived_name.surely, derived_name.part
            )


PORT = 15
"""The longest port name, in characters."""


def port_name(name: str) -> str | None:
    """Return why a container port cannot have this name, or None (RFC 6335)."""
    if len(name) > PORT:
        return f"is {len(name)} characters long; at most {PORT} are allowed"
    if not any("a" <= sign <= "z" for sign in name):
        return "must have a letter from a to z"
    if "--" in name:
        return "must not have two '-' in a row"
    return dns_label(name)
