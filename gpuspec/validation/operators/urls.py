"""URLs, as a Go program reads them.

Source: net/url of Go 1.26, `Parse`. Brackets and colons in a host are not checked: releases of Go
differ.
"""

from __future__ import annotations

import re

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_USER = re.compile(r"[A-Za-z0-9._:~!$&'()*+,;=%@-]*")
_HOST = re.compile(r"[]A-Za-z0-9._~!$&'()*+,;=:<>\"%\x80-\U0010ffff-]*")
_ESCAPE_OF_ASCII = re.compile(r"%(?!25)[0-7]")


def problem(text: str) -> str | None:
    """Return the fault of a URL; None if none is certain."""
    if _CONTROL.search(text.partition("#")[0]):
        return "it has a control character"
    text, _, fragment = text.partition("#")
    if text.startswith(":"):
        return "the scheme is missing before `:`"
    scheme = _SCHEME.match(text)
    rest = (text[scheme.end() :] if scheme else text).partition("?")[0]
    if not rest.startswith("/"):
        if scheme:  # an opaque one, which nothing is asked of but its fragment
            return _escapes(fragment)
        if ":" in rest.partition("/")[0]:
            return "the part before `:` is not a scheme"
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, rest = rest[2:].partition("/")
        rest = slash + rest
        if authority_problem := _authority(authority):
            return authority_problem
    return _escapes(rest) or _escapes(fragment)


def _authority(text: str) -> str | None:
    user, at, host = text.rpartition("@")
    if at and not _USER.fullmatch(user):
        return f"`{user}` is not a valid user name"
    if "[" in host:
        return None
    name, colon, port = host.rpartition(":") if ":" in host else (host, "", "")
    if colon and not re.fullmatch("[0-9]*", port):
        return f"`{port}` is not a port number"
    if not _HOST.fullmatch(name) or _ESCAPE_OF_ASCII.search(name):
        return f"`{name}` is not a valid host name"
    return _escapes(user) or _escapes(host)


def _escapes(text: str) -> str | None:
    match = _ESCAPE.search(text)
    return f"`{text[match.start() :][:3]}` is not a valid escape" if match else None
