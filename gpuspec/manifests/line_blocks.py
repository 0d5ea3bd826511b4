"""Block scalars (``key: |``) in documents that are read line by line.

They are cut out first, because their content is not YAML. Only literal ones in printable ASCII with
unambiguous indentation are handled; everything else is left to libyaml.
"""

import re
from functools import cache

from gpuspec.manifests.line_scalars import KEY
from gpuspec.manifests.plain_scalars import UnusualError

# As a line is taken apart: indentation, dash, key; and the mark, with or without the line break at
# the end of the text.
HEADER = re.compile(rf"^( *+)(- ++)?({KEY}: ++)?\|(-?)(?:\n|\Z)", re.MULTILINE)
# Blank lines, and the indentation of the first line that is none.
_LEAD = re.compile(r"((?: *+\n)*+)( *+)")


def cut(text: str) -> tuple[str, list[str]]:
    """Return a document with only the header line of each block scalar, and the blocks' values.

    Raises:
        UnusualError: libyaml must read it.
    """
    remaining: list[str] = []
    blocks: list[str] = []
    at = 0
    while header := HEADER.search(text, at):
        start = header.end()
        remaining.append(text[at:start])
        indent, dash, key, strips = header.groups()
        if not dash and not key:
            raise UnusualError
        # The column of the collection that the block is a value of.
        outer = len(indent) + (len(dash) if dash and key else 0)
        blank, pad = _LEAD.match(text, start).groups()  # type: ignore[union-attr] # may be empty
        column = len(pad)
        if column <= outer or any(len(line) > column for line in blank.split("\n")):
            raise UnusualError
        at = _body(column).match(text, start).end()  # type: ignore[union-attr] # may be empty
        if len(text) - at > outer and text.startswith(" " * (outer + 1), at):
            raise UnusualError
        lines = text[start:at].split("\n")
        block = "\n".join([line[column:] for line in lines]).rstrip("\n")
        blocks.append(block if strips else f"{block}\n")
    remaining.append(text[at:])
    return "".join(remaining), blocks


@cache
def _body(column: int) -> re.Pattern[str]:
    """Return the lines of a block that is indented to a column, including blank ones."""
    return re.compile(rf"(?: {{{column}}}[ -~]*+\n| {{0,{column}}}\n)*+")
