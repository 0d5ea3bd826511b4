"""Indexes of a Job's pods as the API server reads them: `0,2,5-9`."""

from gpuspec.numbers import read_signed


class IndexListError(ValueError):
    """The error for a text that lists no indexes; its message names the fault."""


def counted(text: str, completions: int) -> int:
    """Return how many of a Job's indexes a text lists. Raises `Unread`."""
    total, last = 0, None
    for part in text.split(",") if text else ():
        first, *rest = part.split("-")
        if len(rest) > 1:
            raise IndexListError(f"`{part}` is not an index or a range such as `0-3`")
        low = _index(first, completions)
        high = _index(rest[0], completions) if rest else low
        if (rest and low >= high) or (last is not None and low <= last):
            raise IndexListError(f"`{part}` is not above the index before it")
        total += high - low + 1
        last = high
    return total


def _index(text: str, completions: int) -> int:
    number = read_signed(text)
    if number is None:
        raise IndexListError(f"`{text}` is not an index")
    if number >= completions:
        raise IndexListError(f"index {number} does not exist: `completions` is {completions}")
    return number
