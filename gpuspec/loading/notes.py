"""Notes on inputs, in addition to findings."""

import msgspec

NOT_RENDERED = "a chart, but helm is not installed to render it: its objects are not linted"
"""The note on a chart of which nothing is linted."""


class LoadingNote(msgspec.Struct, frozen=True, order=True):
    """A note for the reader that is no finding: a skipped file, an unknown kind."""

    file: str
    """Empty for a note that is not about one file."""
    text: str
    """One sentence, without the file."""

    def __str__(self) -> str:
        return f"{self.file}: {self.text}" if self.file else self.text
