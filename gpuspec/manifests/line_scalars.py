"""The keys and scalars of documents that are read line by line: a small subset of YAML.

Everything these patterns match is one complete key or scalar for libyaml too, with the same text.
All are printable ASCII on one line; none is empty or contains ``#``, an anchor, a tag or an escape.
"""

import math
import re

from gpuspec.manifests.plain_scalars import MOST_WORDS, UnusualError
from gpuspec.manifests.scalars import Scalar, resolve

KEY = r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}+"
"""An unquoted key. libyaml searches for a key's colon within 1024 characters."""
LONGEST_WORD = 100
"""Longer texts are not cached, because they seldom recur."""

_DOUBLE_QUOTED = r'"[ !#-\[\]-~]*+"'  # all but quotes and backslashes
_SINGLE_QUOTED = "'[ -&(-~]*+'"  # all but quotes
# What stands between spaces and colons in a scalar without quotes. In flow collections brackets
# and commas end it, and kubectl takes no question mark.
_BLOCK_WORD = r'[!"$-9;-~]'
_FLOW_WORD = r'[!"$-+\--9;->@-Z\\^-z|~]'


class Values(dict[str, Scalar]):
    """The values of scalars by their text, including surrounding spaces. Other texts raise
    UnusualError."""

    def __init__(self, *, flow: bool) -> None:
        super().__init__()
        self.grammar = re.compile(_grammar(_FLOW_WORD if flow else _BLOCK_WORD))

    def __missing__(self, text: str) -> Scalar:
        match = self.grammar.fullmatch(text)
        if match is None:
            raise UnusualError
        quoted, plain = match.groups()
        value = quoted[1:-1] if quoted else resolve(plain)
        if isinstance(value, float) and not math.isfinite(value):
            raise UnusualError
        if len(text) <= LONGEST_WORD:
            if len(self) >= MOST_WORDS:
                self.clear()
            self[text] = value
        return value


def _grammar(word: str) -> str:
    # The first character is none that means something to YAML. A colon with a word right behind it
    # belongs to the scalar.
    first = rf"(?:[$()+./0-9;<=A-Z\\^_a-z~]|-(?={word}))"
    plain = rf"{first}{word}*+(?:[ :]{word}++)*"
    return rf" *+(?:({_DOUBLE_QUOTED}|{_SINGLE_QUOTED})|({plain})) *+"
