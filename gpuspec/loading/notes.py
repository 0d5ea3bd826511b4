"""What is said of inputs beside what is wrong with them."""

import msgspec

NOT_RENDERED = "a chart, and no helm is installed to render it: what it makes is not linted"
"""What is said of a chart of which nothing is linted."""


class LoadingNote(msgspec.Struct, frozen=True, order=True):
    """Something a reader should know that is no finding: a file passed over, an unknown kind."""

    file: str
    """Empty for what is not about one file."""
    text: str
    """One sentence, without the file."""

    def __str__(self) -> str:
        return f"{self.file}: {self.text}" if self.file else self.text
