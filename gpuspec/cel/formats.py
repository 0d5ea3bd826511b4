"""Named string formats: `format.dns1123Label().validate(text)`.

Source: k8s.io/apiserver 1.37, pkg/cel/library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuspec.cel import times
from gpuspec.cel.regexes import compiled
from gpuspec.cel.registry import can, function
from gpuspec.cel.urls import read_url
from gpuspec.cel.values import Opaque, Optional
from gpuspec.manifests import dns_1035_label, dns_label, dns_subdomain, label_key, label_value


class Format(Opaque):
    """A named format and its check of a string."""

    NAME = "kubernetes.NamedFormat"


def _by_reading(parser: Callable[[str], Any], noun: str) -> Callable[[str], str | None]:
    def problem(text: str) -> str | None:
        return None if can(parser)(text) else f"invalid {noun}"

    return problem


def _by_pattern(pattern: str, noun: str) -> Callable[[str], str | None]:
    def problem(text: str) -> str | None:
        return None if compiled(pattern).search(text) else f"invalid {noun}"

    return problem


def _with_prefix(problem: Callable[[str], str | None]) -> Callable[[str], str | None]:
    """Return the check for a prefix to which generated characters are appended."""
    return lambda text: problem(text[:-1] + "a" if text.endswith("-") else text)


_BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_UUID = "^(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"
_FORMATS: dict[str, Callable[[str], str | None]] = {
    "dns1123Label": dns_label,
    "dns1123Subdomain": dns_subdomain,
    "dns1035Label": dns_1035_label,
    "qualifiedName": label_key,
    "dns1123LabelPrefix": _with_prefix(dns_label),
    "dns1123SubdomainPrefix": _with_prefix(dns_subdomain),
    "dns1035LabelPrefix": _with_prefix(dns_1035_label),
    "labelValue": label_value,
    "uri": _by_reading(read_url, "URI"),
    "uuid": _by_pattern(_UUID, "UUID"),
    "byte": _by_pattern(_BASE64, "base64"),
    "date": _by_reading(lambda text: times.timestamp(f"{text}T00:00:00Z"), "date"),
    "datetime": _by_reading(times.timestamp, "datetime"),
}


def _constant(name: str) -> Callable[[], Format]:
    return lambda: Format(name)


for _name in _FORMATS:
    function(f"format.{_name}() -> kubernetes.NamedFormat")(_constant(_name))


@function("format.named(string) -> optional_type(kubernetes.NamedFormat)")
def _named(name: str) -> Optional:
    return Optional((Format(name),) if name in _FORMATS else ())


@function("kubernetes.NamedFormat:validate(string) -> optional_type(list(string))")
def _validate(value: Format, text: str) -> Optional:
    problem = _FORMATS[value.of](text)
    return Optional(() if problem is None else ([problem],))
