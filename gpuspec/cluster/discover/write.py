"""Write a profile as commented YAML."""

from __future__ import annotations

import io
import textwrap
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.escaping.characters import visible
from gpuspec.manifests import Quantity
from gpuspec.manifests.quoting import is_plain
from gpuspec.numbers import read_whole
from gpuspec.spec import Duration, Rdma

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    from gpuspec.spec import ClusterProfile

# Small mappings that read best on one line.
_INLINE = frozenset(("gpu", "allocatable", "reserved", "sharing", "profiles", "metadata"))
_INDENT = 2
WIDTH = 98  # of comments, with two more for their mark


def write_profile(
    profile: ClusterProfile,
    head: str,
    comments: Mapping[str, Sequence[str]],
    pool_comments: Sequence[Mapping[str, Sequence[str]]],
) -> str:
    """Return the profile in the order of its model, without default values.

    `head` is the comment at the top, `comments` those above fields of `spec`, `pool_comments` those
    above fields of each pool.
    """
    # A round-trip writer costs start-up time that only this command should pay.
    from ruamel.yaml import YAML

    tree = _mapping(
        {
            "apiVersion": profile.api_version,
            "kind": "ClusterProfile",
            **_fields(profile, ("api_version",)),
        }
    )
    tree.yaml_set_start_comment("\n".join(_lines(head, WIDTH)))
    _comment(tree["spec"], comments, _INDENT)
    for pool, pool_comment in zip(tree["spec"]["pools"], pool_comments, strict=True):
        _comment(pool, pool_comment, 3 * _INDENT)
    yaml = YAML()
    yaml.width = 1 << 16
    yaml.indent(mapping=_INDENT, sequence=2 * _INDENT, offset=_INDENT)
    out = io.StringIO()
    yaml.dump(tree, out)
    return out.getvalue()


def _comment(node: CommentedMap, comments: Mapping[str, Sequence[str]], indent: int) -> None:
    for key, remarks in comments.items():
        if remarks:
            lines = [line for remark in remarks for line in _lines(remark, WIDTH - indent)]
            node.yaml_set_comment_before_after_key(key, before="\n".join(lines), indent=indent)


def _lines(remark: str, width: int) -> list[str]:
    """Return a comment in lines, with invisible characters escaped, since they could end it
    early."""
    return textwrap.wrap(visible(remark), width, break_long_words=False, break_on_hyphens=False)


def _fields(model: msgspec.Struct, skipped: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the fields of a model with another value than the default, by their names in YAML."""
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(model):
        value = getattr(model, field.name)
        default = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        if value != default and field.name not in skipped:
            fields[field.encode_name] = value
    return fields


def _mapping(entries: Mapping[str, Any], *, inline: bool = False) -> CommentedMap:
    from ruamel.yaml.comments import CommentedMap

    node = CommentedMap()
    for key, value in entries.items():
        node[_text(key)] = _value(value, key in _INLINE or _is_short_fabric(value))
    if inline and entries:
        node.fa.set_flow_style()
    return node


def _is_short_fabric(value: Any) -> bool:
    return isinstance(value, Rdma) and not value.interfaces and len(_fields(value)) < 5


def _sequence(items: Sequence[Any]) -> CommentedSeq:
    from ruamel.yaml.comments import CommentedSeq

    node = CommentedSeq(
        _value(item, isinstance(item, msgspec.Struct) and len(_fields(item)) < 4) for item in items
    )
    if all(isinstance(item, str) for item in items):
        node.fa.set_flow_style()
    return node


def _value(value: Any, inline: bool) -> Any:
    if isinstance(value, msgspec.Struct):
        return _mapping(_fields(value), inline=inline)
    if isinstance(value, dict):
        return _mapping(value, inline=inline)
    if isinstance(value, tuple):
        return _sequence(value)
    if isinstance(value, Quantity):
        plain = str(value)
        number = read_whole(plain)
        return _text(plain) if number is None else number
    return _text(str(value)) if isinstance(value, str | Duration) else value


def _text(text: str) -> str:
    """Quote a text if any reader of YAML 1.1 or 1.2 would read the bare text as something else."""
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    return text if is_plain(text) else DoubleQuotedScalarString(text)
