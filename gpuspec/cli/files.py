"""Files that commands write."""


def write(place: str, text: str) -> None:
    """Write a report to a file. Raises `InputError` where that cannot be done."""
    from pathlib import Path

    from gpuspec import InputError, Problem

    try:
        Path(place).write_bytes(text.encode(errors="backslashreplace"))
    except OSError as error:
        raise InputError([Problem(f"{place}: {error.strerror}")]) from None
