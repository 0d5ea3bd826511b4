"""URLs: `url("https://host/path")`.

Source: k8s.io/apiserver 1.37, pkg/cel/library.
"""

from __future__ import annotations

import re

from gpuspec.cel.registry import can, function
from gpuspec.cel.values import Failure, Opaque
from gpuspec.numbers import is_digits


class Url(Opaque):
    """A URL."""

    NAME = "kubernetes.URL"


_NO_URL = re.compile("[\\x00-\\x1f\\x7f]|%(?![0-9a-fA-F]{2})")


@function("url(string) -> kubernetes.URL")
def read_url(text: str) -> Url:
    """Read a URL with a scheme, or an absolute path."""
    from urllib.parse import urlsplit

    try:
        url = urlsplit(text)
        port = url.netloc.rpartition("@")[2].rpartition("]")[2].partition(":")[2]
    except ValueError as error:
        raise Failure(str(error)) from None
    if not (url.scheme or text.startswith("/")) or _NO_URL.search(text):
        raise Failure(f"parse {text!r}: invalid URI for request")
    if port and not is_digits(port):
        raise Failure(f"parse {text!r}: invalid port")
    return Url(url)


function("isURL(string) -> bool")(can(read_url))


@function("kubernetes.URL:getScheme() -> string")
def _scheme(value: Url) -> str:
    return str(value.of.scheme)


@function("kubernetes.URL:getHost() -> string")
def _host(value: Url) -> str:
    return str(value.of.netloc.rpartition("@")[2])


@function("kubernetes.URL:getHostname() -> string")
def _hostname(value: Url) -> str:
    host = _host(value)
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


@function("kubernetes.URL:getPort() -> string")
def _port(value: Url) -> str:
    return _host(value).rpartition("]")[2].partition(":")[2]


@function("kubernetes.URL:getEscapedPath() -> string")
def _path(value: Url) -> str:
    return str(value.of.path)


@function("kubernetes.URL:getQuery() -> map(string, list(string))")
def _query(value: Url) -> dict[str, list[str]]:
    from urllib.parse import parse_qsl

    query: dict[str, list[str]] = {}
    for name, parameter_value in parse_qsl(value.of.query, keep_blank_values=True):
        query.setdefault(name, []).append(parameter_value)
    return query
