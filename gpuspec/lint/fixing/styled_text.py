"""The text of a document with its positions and its style."""

from __future__ import annotations

import json
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from gpuspec.lint.fixing.places import LocatedText
from gpuspec.manifests.graph import MappingNode, SequenceNode, YamlNode
from gpuspec.manifests.sources import YAML_BREAKS

if TYPE_CHECKING:
    from collections.abc import Iterator


class StyledText(LocatedText):
    """The text of one document, with its indentation and line ends."""

    @cached_property
    def json_step(self) -> int | None:
        """The indentation of JSON in columns; None if it has none."""
        assert isinstance(self.root, MappingNode | SequenceNode)
        at = self.start(self.root.items[0]) if self.root.items else 0
        deeper = self.column(at) - self.lead(self.start(self.root))
        return deeper if deeper > 0 and self.is_first(at) else None

    @cached_property
    def is_tight(self) -> bool:
        """Whether JSON is written without blanks."""
        return '": ' not in self.text and '" :' not in self.text

    @cached_property
    def step(self) -> int:
        """The columns between a mapping's keys and those of a nested mapping."""
        return self._usual(MappingNode, least=1) or 2

    @cached_property
    def dash_step(self) -> int:
        """The columns between a mapping's keys and the dashes of a nested list."""
        return self._usual(SequenceNode, least=0) or 0

    @cached_property
    def has_odd_breaks(self) -> bool:
        """Whether it has line breaks that only some parsers recognise."""
        text = self.text
        return any(mark in text for mark in YAML_BREAKS) or text.count("\r") > text.count("\r\n")

    def _usual(self, kind: type[YamlNode], least: int) -> int | None:
        counts: Counter[int] = Counter()
        for step in self._steps(kind):
            if step >= least:
                counts[step] += 1
        return counts.most_common(1)[0][0] if counts else None

    def _steps(self, kind: type[YamlNode]) -> Iterator[int]:
        for node in self.collections:
            if not isinstance(node, MappingNode):
                continue
            for key, value in node.entries():
                if not isinstance(value, MappingNode | SequenceNode) or not value.items:
                    continue
                # What stands on its key's line begins no line: that is seen at once.
                is_below = isinstance(value, kind) and value.items[0].start[0] > key.start[0]
                if is_below and self.is_open_block(value) and self.is_open_block(node):
                    yield self.indent(value) - self.column(self.start(key))


def holds_json(text: str) -> bool:
    """Return whether a document is a JSON object, which must stay one."""
    return text.lstrip().startswith("{") and is_json(text)


def is_json(text: str) -> bool:
    """Return whether a text is one JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
